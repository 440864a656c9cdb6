import { buildError } from "../base/error.ts";
import type { Builder } from "./builder.ts";

/** Deeper nesting is refused: types know three levels, and a path of four says more about the graph than about data. */
export const MAX_DEPTH = 3;

/** Whether `scope` is `ancestor` or lies inside it. */
export function isWithin(builder: Builder, scope: number, ancestor: number): boolean {
  let at = scope;
  const { depth } = builder.scopes[ancestor]!;
  while (builder.scopes[at]!.depth > depth) at = builder.scopes[at]!.parent;
  return at === ancestor;
}

/** Whether `scope` lies strictly inside `ancestor`. */
export function isInside(builder: Builder, scope: number, ancestor: number): boolean {
  return scope !== ancestor && isWithin(builder, scope, ancestor);
}

/** How a message names a scope: `listDocs` for its items, `the run`. */
export function scopeLabel(builder: Builder, scope: number): string {
  const { stream } = builder.scopes[scope]!;
  return stream < 0 ? "the run" : builder.streams[stream]!.segment;
}

/** The inner one of two scopes of which one encloses the other. */
export function innerOf(builder: Builder, a: number, b: number, what: string): number {
  if (a === b || isWithin(builder, a, b)) return a;
  if (isWithin(builder, b, a)) return b;
  throw buildError(
    `${what} takes items of two unrelated streams, ${scopeLabel(builder, a)} and ${scopeLabel(builder, b)}`,
    "pair them item by item with zip({ … }), or collect one of them first",
  );
}
