/** The reducers that come with Millrace. Any `{ init, reduce }` will do. */
import type { Reducer } from "../model/reducer.ts";

/** A list of the updates, in the order they were folded. Starts empty. */
export function append<E>(): Reducer<E[], E> {
  return Object.freeze({
    init: [],
    reduce: (list: E[], element: E) => [...list, element],
    grow: {
      add: (list: E[], element: E) => {
        list.push(element);
      },
      copy: (list: E[]) => list.slice(),
    },
  });
}

/** The sum of the updates. Starts at 0. */
export function add(): Reducer<number, number> {
  return Object.freeze({ init: 0, reduce: (sum: number, n: number) => sum + n });
}

/** The smallest update, `undefined` before the first. */
export function min(): Reducer<number | undefined, number> {
  return Object.freeze({
    init: undefined,
    reduce: (least: number | undefined, n: number) => (least === undefined || n < least ? n : least),
  });
}

/** The largest update, `undefined` before the first. */
export function max(): Reducer<number | undefined, number> {
  return Object.freeze({
    init: undefined,
    reduce: (most: number | undefined, n: number) => (most === undefined || n > most ? n : most),
  });
}

/** A record whose fields each keep their last update. Starts as `init`, default empty. */
export function merge<T extends object>(init?: T): Reducer<T, Partial<T>> {
  return Object.freeze({
    init: init ?? ({} as T),
    reduce: (record: T, fields: Partial<T>) => ({ ...record, ...fields }),
  });
}

/**
 * The last update, `init` before the first. Its writers must be ordered (one after the other by data or `after`), or
 * the cell must say `{ allowRace: true }`.
 */
export function last<T>(init: T): Reducer<T, T> {
  return Object.freeze({ init, reduce: (_before: T, now: T) => now, lastWins: true });
}
