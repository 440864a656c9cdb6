import type { RefOf } from "../model/ref.ts";
import type { Overwrite } from "../model/reducer.ts";
import type { Run, Scope } from "../model/scope.ts";

/** A value that is to stand in a cell instead of being folded into it. */
export class Overwriting {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/**
 * Bypasses the reducer once: `push(log, overwrite(shorter))` makes `shorter` what the cell holds, and later pushes fold
 * into it. It must be ordered with the other pushes into the cell, or the cell must say `{ allowRace: true }`.
 */
export function overwrite<A, S extends Scope = Run>(value: RefOf<A, S> | A): Overwrite<A, S> {
  return Object.freeze(new Overwriting(value)) as unknown as Overwrite<A, S>;
}
