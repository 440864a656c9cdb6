/** The reducers that come with Millrace. Any `{ init, reduce }` will do. */
import type { Reducer } from "../model/reducer.ts";
import { known } from "./reducer-texts.ts";

/** A list of the updates, in the order they were folded. Starts empty. */
export function append<E>(): Reducer<E[], E> {
  return known(
    "append",
    growing<E, E>((list, element) => void list.push(element)),
  );
}

/** The sum of the updates. Starts at 0. */
export function add(): Reducer<number, number> {
  return known("add", { init: 0, reduce: (sum: number, n: number) => sum + n });
}

/** The smallest update, `undefined` before the first. */
export function min(): Reducer<number | undefined, number> {
  return known("min", {
    init: undefined,
    reduce: (least: number | undefined, n: number) => (least === undefined || n < least ? n : least),
  });
}

/** The largest update, `undefined` before the first. */
export function max(): Reducer<number | undefined, number> {
  return known("max", {
    init: undefined,
    reduce: (most: number | undefined, n: number) => (most === undefined || n > most ? n : most),
  });
}

/**
 * A record whose fields each keep their last update. Starts as `init`, default empty. A field called `__proto__` is a
 * field like others.
 */
export function merge<T extends object>(init?: T): Reducer<T, Partial<T>> {
  return known("merge", {
    init: init ?? ({} as T),
    // Spread defines fields and never assigns them, so that no update can reach a prototype.
    reduce: (record: T, fields: Partial<T>) => ({ ...record, ...fields }),
    grow: { add: defineFields<T>, copy: (record: T) => ({ ...record }) },
  });
}

/**
 * The last update, `init` before the first. Its writers must be ordered (one after the other by data or `after`), or
 * the cell must say `{ allowRace: true }`.
 */
export function last<T>(init: T): Reducer<T, T> {
  return known("last", { init, reduce: (_before: T, now: T) => now, lastWins: true });
}

/**
 * Messages of a conversation: each update is a message or a list of them. One whose `id` is known takes the place of the
 * message with that id, every other one comes to the end. Starts empty.
 */
export function messagesById<M extends { readonly id?: string | undefined }>(): Reducer<M[], M | readonly M[]> {
  const indices = new WeakMap<M[], Map<string, number>>();
  const put = (list: M[], update: M | readonly M[]): void => {
    const places = indices.get(list) ?? placesOf(list);
    indices.set(list, places);
    for (const message of isList(update) ? update : [update]) {
      const at = message.id === undefined ? undefined : places.get(message.id);
      if (at !== undefined) list[at] = message;
      else if (list.push(message) && message.id !== undefined) places.set(message.id, list.length - 1);
    }
  };
  return known("messagesById", growing(put));
}

/** Of ids that several have, the last. */
function placesOf(list: readonly { readonly id?: string | undefined }[]): Map<string, number> {
  const places = new Map<string, number>();
  list.forEach(({ id }, at) => {
    if (id !== undefined) places.set(id, at);
  });
  return places;
}

function isList<M>(update: M | readonly M[]): update is readonly M[] {
  return Array.isArray(update);
}

/** What a list can be sorted by. Numbers come before texts; texts are compared by code units, alike on every machine. */
export type SortKey = number | bigint | string | readonly (number | bigint | string)[];

/**
 * A list of the updates that readers get sorted by `key`, so that what they read does not depend on which writer was
 * first. Give every update a key of its own, such as the index of its item: equal keys stay in the order they were folded.
 */
export function orderedBy<E>(key: (element: E) => SortKey): Reducer<E[], E> {
  const view = (list: E[]): E[] =>
    list
      .map((element) => ({ element, key: partsOf(key(element)) }))
      .toSorted((a, b) => compareKeys(a.key, b.key))
      .map(({ element }) => element);
  return known("orderedBy", { ...append<E>(), view }, key);
}

type KeyPart = number | bigint | string;

function partsOf(key: SortKey): readonly KeyPart[] {
  const parts: readonly unknown[] = Array.isArray(key) ? key : [key];
  for (const part of parts)
    if (!["number", "bigint", "string"].includes(typeof part) || Number.isNaN(part))
      throw new TypeError(
        `orderedBy() sorts by numbers and texts, and a key is ${part === null ? "null" : typeof part}`,
      );
  return parts as readonly KeyPart[];
}

function compareKeys(a: readonly KeyPart[], b: readonly KeyPart[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareParts(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareParts(a: KeyPart, b: KeyPart): number {
  const [textA, textB] = [typeof a === "string", typeof b === "string"];
  if (textA !== textB) return textA ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** In place. What is there already, or is called like nothing that an object inherits, is assigned: that is fast. */
function defineFields<T extends object>(record: T, fields: Partial<T>): void {
  for (const key of Reflect.ownKeys(Object(fields) as object) as (keyof T)[]) {
    if (!Object.prototype.propertyIsEnumerable.call(fields, key)) continue;
    const value = fields[key] as T[keyof T];
    if (Object.hasOwn(record, key) || !(key in record)) record[key] = value;
    else Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
  }
}

/** A list that `add` changes in place. */
function growing<E, U>(add: (list: E[], update: U) => void): Reducer<E[], U> {
  return {
    init: [],
    reduce: (list: E[], update: U) => {
      const copy = list.slice();
      add(copy, update);
      return copy;
    },
    grow: { add, copy: (list: E[]) => list.slice() },
  };
}
