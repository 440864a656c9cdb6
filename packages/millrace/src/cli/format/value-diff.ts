/** Where two values differ, as paths; what JSON has no form for is compared as `json.ts` shows it. */
import { isDeepStrictEqual } from "node:util";
import { plain } from "./json.ts";
import { shortJson } from "./short-json.ts";

export interface Change {
  /** `.facts[2].text`; empty: the values as a whole. */
  readonly path: string;
  /** Absent: there is nothing at this path. */
  readonly a?: unknown;
  readonly b?: unknown;
  /** Long ones were cut: both are texts then. */
  readonly cut?: true;
}

export interface Changes {
  readonly changes: readonly Change[];
  /** Others were left out. */
  readonly more: boolean;
}

export interface Bounds {
  readonly changes: number;
  /** Characters of a value. */
  readonly length: number;
}

const deepest = 50;

export function valueDiff(a: unknown, b: unknown, bounds: Bounds): Changes {
  const walk = new Walk(bounds);
  walk.compare("", plain(a), plain(b), 0);
  if (walk.changes.length > 0 || isDeepStrictEqual(a, b)) return walk;
  // What JSON shows alike and is not: a map and an object, 1n and "1".
  return { changes: [{ path: "", a: kindOf(a), b: kindOf(b), cut: true }], more: false };
}

function kindOf(value: unknown): string {
  return `other types in ${shortJson(value, 40)}`;
}

class Walk implements Changes {
  readonly changes: Change[] = [];
  more = false;
  readonly #bounds: Bounds;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  compare(path: string, a: unknown, b: unknown, depth: number): void {
    if (this.more || Object.is(a, b)) return;
    if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b) || depth >= deepest) {
      if (!isDeepStrictEqual(a, b)) this.#add(path, { a, b });
    } else if (Array.isArray(a)) this.#lists(path, a, b as unknown[], depth + 1);
    else this.#records(path, a, b, depth + 1);
  }

  #lists(path: string, a: readonly unknown[], b: readonly unknown[], depth: number): void {
    for (let i = 0; i < Math.max(a.length, b.length) && !this.more; i++)
      this.#part(`${path}[${i}]`, i < a.length, a[i], i < b.length, b[i], depth);
  }

  #records(path: string, a: object, b: object, depth: number): void {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (this.more) return;
      const [inA, inB] = [Object.hasOwn(a, key), Object.hasOwn(b, key)];
      const name = /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
      this.#part(path + name, inA, inA ? valueOf(a, key) : undefined, inB, inB ? valueOf(b, key) : undefined, depth);
    }
  }

  #part(path: string, inA: boolean, a: unknown, inB: boolean, b: unknown, depth: number): void {
    if (inA && inB) this.compare(path, a, b, depth);
    else this.#add(path, inA ? { a } : { b });
  }

  #add(path: string, sides: Pick<Change, "a" | "b">): void {
    if (this.changes.length >= this.#bounds.changes) this.more = true;
    else this.changes.push({ path, ...this.#cut(sides) });
  }

  #cut(sides: Pick<Change, "a" | "b">): Omit<Change, "path"> {
    const { length } = this.#bounds;
    const { a, b } = sides;
    if (typeof a === "string" && typeof b === "string" && Math.max(a.length, b.length) > length)
      return { ...around(a, b, length), cut: true };
    const texts = Object.entries(sides).map(([side, value]) => [side, value, shortJson(value, length)] as const);
    const isLong = texts.some(([, , text]) => text.length > length);
    return isLong ? { ...Object.fromEntries(texts.map(([side, , text]) => [side, text])), cut: true } : sides;
  }
}

/** The part of two texts in which they begin to differ. */
function around(a: string, b: string, length: number): { readonly a: string; readonly b: string } {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const from = Math.max(0, same - Math.floor(length / 4));
  const part = (text: string): string =>
    `${from > 0 ? "…" : ""}${text.slice(from, from + length)}${text.length > from + length ? "…" : ""}`;
  return { a: part(a), b: part(b) };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function valueOf(record: object, key: string): unknown {
  return (record as Record<string, unknown>)[key];
}
