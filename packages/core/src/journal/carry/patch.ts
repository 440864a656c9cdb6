/**
 * What a run of a thread changed in one cell, as little of it as can be told from the values alone: the tail of a list
 * that grew, the keys of an object that changed, else the whole value. It does not depend on reducers, so that what a
 * thread carries can be read whatever became of its graph's code.
 */
import { encode, revive } from "../codec/codec.ts";

/** Parts are encoded values, parsed. */
export type Patch =
  | { readonly v: unknown }
  | { readonly "+": unknown }
  | { readonly m: Readonly<Record<string, unknown>>; readonly "-": readonly string[] };

type Fields = Readonly<Record<string, unknown>>;

/** As JSON text; null: nothing changed. */
export function patchText(before: unknown, after: unknown): string | null {
  const whole = encode(after);
  if (before !== undefined && encode(before) === whole) return null;
  return tailText(before, after) ?? fieldsText(before, after) ?? wholeText(whole);
}

export function wholeText(encoded: string): string {
  return `{"v":${encoded}}`;
}

function tailText(before: unknown, after: unknown): string | null {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length === 0 || after.length < before.length)
    return null;
  if (encode(after.slice(0, before.length)) !== encode(before)) return null;
  return `{"+":${encode(after.slice(before.length))}}`;
}

function fieldsText(before: unknown, after: unknown): string | null {
  if (!isRecord(before) || !isRecord(after)) return null;
  const changed = Object.keys(after).filter(
    (key) => !Object.hasOwn(before, key) || encode(before[key]) !== encode(after[key]),
  );
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const fields = changed.map((key) => `${JSON.stringify(key)}:${encode(after[key])}`);
  const text = `{"m":{${fields.join(",")}},"-":${JSON.stringify(gone)}}`;
  // The order of keys is part of a value: only what is added at the end, or changed in place, can be told by its keys.
  return encode(patched(before, JSON.parse(text) as Patch)) === encode(after) ? text : null;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** The value after the change. */
export function patched(before: unknown, patch: Patch): unknown {
  if ("v" in patch) return revive(patch.v);
  if ("+" in patch) return [...(before as readonly unknown[]), ...(revive(patch["+"]) as readonly unknown[])];
  const gone = new Set(patch["-"]);
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(before as Fields)) if (!gone.has(key)) define(result, key, value);
  for (const [key, value] of Object.entries(patch.m)) define(result, key, revive(value));
  return result;
}

function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
