import type { StandardSchemaV1 } from "./standard-schema.ts";

declare const value: unique symbol;

/** A typed name for what a caller tells all of a run: who asks, for which tenant. Journaled with the start of the run. */
export interface CallerContext<C> {
  readonly name: string;
  readonly schema: StandardSchemaV1;
  readonly [value]: () => C;
}
