/**
 * What a run of a thread changed in one cell, as little of it as can be told from the values alone: the tail of a list
 * that grew, the fields of an object that changed, and of each of these as little again; else the whole value. It does not depend on
 * reducers, so that what a thread carries can be read whatever became of its graph's code.
 */
import { encode, revive } from "../codec/codec.ts";

/** Parts are encoded values, parsed. `p`: fields that are not replaced but changed. */
export type Patch =
  | { readonly v: unknown }
  | { readonly "+": unknown }
  | {
      readonly m: Readonly<Record<string, unknown>>;
      readonly "-": readonly string[];
      readonly p?: Readonly<Record<string, Patch>>;
    };

type Fields = Readonly<Record<string, unknown>>;

/** As JSON text; null: nothing changed. */
export function patchText(before: unknown, after: unknown): string | null {
  if (before !== undefined && isSame(before, after)) return null;
  return changeText(before, after) ?? wholeText(encode(after));
}

export function wholeText(encoded: string): string {
  return `{"v":${encoded}}`;
}

/**
 * Values that a run did not touch are the very ones that it began with: only what is new to it is encoded, so that what a turn
 * costs does not grow with the thread.
 */
function isSame(before: unknown, after: unknown): boolean {
  if (Object.is(before, after)) return true;
  if (Array.isArray(before) && Array.isArray(after) && isDense(before) && isDense(after))
    return before.length === after.length && before.every((element, at) => isSame(element, after[at]));
  if (isRecord(before) && isRecord(after)) {
    const keys = Object.keys(before);
    const others = Object.keys(after);
    return (
      keys.length === others.length && keys.every((key, at) => key === others[at] && isSame(before[key], after[key]))
    );
  }
  return encode(before) === encode(after);
}

function changeText(before: unknown, after: unknown): string | null {
  return tailText(before, after) ?? fieldsText(before, after);
}

function tailText(before: unknown, after: unknown): string | null {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length === 0 || after.length < before.length)
    return null;
  if (!isDense(before) || !isDense(after) || !before.every((element, at) => isSame(element, after[at]))) return null;
  return `{"+":${encode(after.slice(before.length))}}`;
}

/** Without holes, and without fields besides its elements. */
function isDense(list: readonly unknown[]): boolean {
  return Object.keys(list).length === list.length;
}

function fieldsText(before: unknown, after: unknown): string | null {
  if (!isRecord(before) || !isRecord(after)) return null;
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  // The order of keys is part of a value: only what is added at the end, or changed in place, can be told by its keys.
  const kept = Object.keys(before).filter((key) => Object.hasOwn(after, key));
  const added = Object.keys(after).filter((key) => !Object.hasOwn(before, key));
  if (![...kept, ...added].every((key, at) => key === Object.keys(after)[at])) return null;
  const fields = added.map((key) => `${JSON.stringify(key)}:${encode(after[key])}`);
  const parts: string[] = [];
  for (const key of kept) {
    if (isSame(before[key], after[key])) continue;
    const change = changeText(before[key], after[key]);
    if (change === null) fields.push(`${JSON.stringify(key)}:${encode(after[key])}`);
    else parts.push(`${JSON.stringify(key)}:${change}`);
  }
  const inner = parts.length === 0 ? "" : `,"p":{${parts.join(",")}}`;
  return `{"m":{${fields.join(",")}},"-":${JSON.stringify(gone)}${inner}}`;
}

function isRecord(value: unknown): value is Fields {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    Object.getOwnPropertySymbols(value).length === 0
  );
}

/**
 * The value after the change. `before` becomes it, as far as it can, so that thousands of changes of a long list do not copy it as
 * many times: it is the caller's own.
 */
export function grown(before: unknown, patch: Patch): unknown {
  if ("v" in patch) return revive(patch.v);
  if ("+" in patch) {
    for (const element of revive(patch["+"]) as readonly unknown[]) (before as unknown[]).push(element);
    return before;
  }
  const fields = before as Fields;
  for (const key of patch["-"]) delete (fields as Record<string, unknown>)[key];
  for (const [key, change] of Object.entries(patch.p ?? {})) define(fields, key, grown(fields[key], change));
  for (const [key, value] of Object.entries(patch.m)) define(fields, key, revive(value));
  return fields;
}

/** The same for a `before` that stays as it is, and frozen: what did not change is the very same in both. */
export function patched(before: unknown, patch: Patch): unknown {
  if ("v" in patch) return revive(patch.v);
  if ("+" in patch) return [...(before as readonly unknown[]), ...(revive(patch["+"]) as readonly unknown[])];
  const fields = { ...(before as Fields) };
  for (const key of patch["-"]) delete (fields as Record<string, unknown>)[key];
  for (const [key, change] of Object.entries(patch.p ?? {})) define(fields, key, patched(fields[key], change));
  for (const [key, value] of Object.entries(patch.m)) define(fields, key, revive(value));
  return fields;
}

function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
