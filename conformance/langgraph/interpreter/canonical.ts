import { isRecord, type Json } from "../format/json.ts";

/** One text per value, whatever the order in which its keys were set. */
export function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value ?? null);
  const keys = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

/** A multiset in an order that depends on its elements alone. */
export function sorted<T>(list: readonly T[]): T[] {
  return list
    .map((element) => ({ element, key: canonical(element as Json) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ element }) => element);
}
