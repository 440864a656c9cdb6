/**
 * By what a reducer is told from another one where functions cannot be compared: the text of its functions, or, of one that comes with
 * Millrace, its name. Texts of those change whenever Millrace is built anew, and what they do does not.
 */
import type { Reducer } from "../model/reducer.ts";

const texts = new WeakMap<object, readonly string[]>();

/** A reducer that comes with Millrace. `given`: what its user gave it to fold by. */
export function known<R extends object>(name: string, reducer: R, ...given: readonly object[]): Readonly<R> {
  texts.set(reducer, [name, ...given.map(String)]);
  return Object.freeze(reducer);
}

export function textsOf(reducer: Reducer<unknown, unknown>): readonly string[] {
  return texts.get(reducer) ?? written(reducer);
}

interface Parts {
  readonly reduce: unknown;
  readonly grow?: object;
  readonly view?: unknown;
}

function written({ reduce, grow = {}, view }: Parts): string[] {
  return [reduce, ...Object.values(grow), view].filter((part) => part !== undefined).map(String);
}
