/**
 * Readers that know one name each.
 *
 * The engine remembers what a line of code saw: objects made, and fields read, under one name are fast; the second name
 * makes that line slow for the whole process, and names are known at run time only. Compiling text is forbidden where a
 * content security policy is in force. Hence tables of equal lines: a name, or a list of names, is given the next line
 * for itself, and what comes after the table is used up shares the slow one of `program.ts`.
 */
import type { Context } from "./context.ts";

/** Puts the input of a slot together from the values its context can see. */
export type Reader = (context: Context) => unknown;

type Fields = Record<string, unknown>;
type One = (a: string, x: Reader) => Reader;
type Two = (a: string, x: Reader, b: string, y: Reader) => Reader;
type Three = (a: string, x: Reader, b: string, y: Reader, d: string, z: Reader) => Reader;
type Field = (local: number, field: string, slow: Reader) => Reader;

/** Gives every key a line of its own, as long as there are any. */
class Pool<Line> {
  readonly #lines: readonly Line[];
  readonly #given: Map<string, Line> = new Map();

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  of(key: string): Line | undefined {
    const known = this.#given.get(key);
    if (known !== undefined) return known;
    const line = this.#lines[this.#given.size];
    if (line !== undefined) this.#given.set(key, line);
    return line;
  }
}

const ones = new Pool<One>([
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
  (a, x) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), o),
]);

const twos = new Pool<Two>([
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
  (a, x, b, y) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), o),
]);

const threes = new Pool<Three>([
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
  (a, x, b, y, d, z) =>
    (c, o: Fields = {}) => ((o[a] = x(c)), (o[b] = y(c)), (o[d] = z(c)), o),
]);

const fields = new Pool<Field>([
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
  (l, f, slow) => (c) => known((c.values[l] as Fields | null | undefined)?.[f]) ?? slow(c),
]);

/** Methods are fields only if they are own: the slow reader finds out. */
function known(value: unknown): unknown {
  return typeof value === "function" ? undefined : value;
}

/** Reads `field` of the value at `local`; `slow` is asked when it is null, undefined or a function. */
export function fieldReader(local: number, field: string, slow: Reader): Reader | undefined {
  return fields.of(field)?.(local, field, slow);
}

/** Makes objects of these keys. Undefined: too many keys, or too many shapes. */
export function shapeReader(keys: readonly string[], values: readonly Reader[]): Reader | undefined {
  const [a = "", b = "", d = ""] = keys;
  const [x, y, z] = values as readonly [Reader, Reader, Reader];
  const shape = JSON.stringify(keys);
  if (keys.length === 1) return ones.of(shape)?.(a, x);
  if (keys.length === 2) return twos.of(shape)?.(a, x, b, y);
  if (keys.length === 3) return threes.of(shape)?.(a, x, b, y, d, z);
  return undefined;
}
