import type { Scope } from "./scope.ts";

/** Folds updates into an accumulator. Pure: it returns the next accumulator and leaves the old one as it was. */
export interface Reducer<A, U> {
  /** The accumulator before the first update. Every run begins with a copy of its own. */
  readonly init: A;
  reduce(accumulator: A, update: U): A;
  /**
   * The same, in place, for accumulators that grow: a list that is copied at every push takes quadratic time. The engine
   * adds to an accumulator of its own and gives copies to readers.
   */
  readonly grow?: { add(accumulator: A, update: U): void; copy(accumulator: A): A };
  /** What readers get of it. Pure. Default: the accumulator as it stands. */
  view?(accumulator: A): A;
  /**
   * Which fold this is, in place of the text of its functions: raise it when they fold otherwise. Part of the fingerprint of graphs
   * whose cells, and of state graphs whose fields, are folded by it. Default: none is stated.
   */
  readonly version?: string;
}

declare const accumulator: unique symbol;
declare const update: unique symbol;
declare const overwritten: unique symbol;
declare const scope: unique symbol;

/** A run-level value of type `A` that ops change by pushing updates of type `U`. */
export interface Cell<A, U> {
  readonly name: string;
  readonly [accumulator]: A;
  readonly [update]: (update: U) => void;
}

/** What `overwrite` makes: an accumulator that `push` puts in the place of the cell's, once per `S`. */
export interface Overwrite<out A, out S extends Scope> {
  readonly [overwritten]: () => A;
  readonly [scope]: () => S;
}
