// oxlint-disable typescript/no-unnecessary-type-parameters -- comparing types needs them
import type { Graph } from "../src/index.ts";

/** Whether two types are the same, not merely assignable. */
export type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

/** Compiles only when its argument is `true`. */
export const check = <_ extends true>(): void => {};

/** The output type of a graph. */
export type OutputOf<G> = G extends Graph<never, infer O> ? O : never;
