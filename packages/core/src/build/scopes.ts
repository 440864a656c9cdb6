import { buildError } from "../base/error.ts";
import { RUN_SCOPE, type Builder, type DraftSlot } from "./builder.ts";

/** Deeper nesting is refused: types know three levels, and a path of four says more about the graph than about data. */
const MAX_DEPTH = 3;

/** Whether `scope` is `ancestor` or lies inside it. */
export function isWithin(builder: Builder, scope: number, ancestor: number): boolean {
  for (let at = scope; at >= 0; at = builder.scopes[at]!.parent) if (at === ancestor) return true;
  return false;
}

/** Whether `scope` lies strictly inside `ancestor`. */
export function isInside(builder: Builder, scope: number, ancestor: number): boolean {
  return scope !== ancestor && isWithin(builder, scope, ancestor);
}

/** The innermost scope around `scope`, or itself, that is an item's; else the run. */
export function itemScopeOf(builder: Builder, scope: number): number {
  let at = scope;
  while (at !== RUN_SCOPE && builder.scopes[at]!.stream < 0) at = builder.scopes[at]!.parent;
  return at;
}

/** The stream that `scope` is an item of, or inside an item of; -1 in the run. */
export function streamAround(builder: Builder, scope: number): number {
  return builder.scopes[itemScopeOf(builder, scope)]!.stream;
}

/** How a message names a scope: `listDocs` for its items, `the run`. */
export function scopeLabel(builder: Builder, scope: number): string {
  const stream = streamAround(builder, scope);
  return stream < 0 ? "the run" : builder.streams[stream]!.segment;
}

/**
 * The inner one of two scopes of which one encloses the other. A closure that is being run and uses an item from outside
 * of it (`b`) belongs to that item: its scope moves there, so that every node in it runs per item.
 */
export function innerOf(builder: Builder, a: number, b: number, what: string): number {
  if (isWithin(builder, a, b)) return a;
  if (isWithin(builder, b, a)) return b;
  const closure = childOfCommon(builder, a, b);
  if (builder.floating.has(closure)) {
    builder.scopes[closure]!.parent = b;
    return a;
  }
  throw buildError(
    `${what} takes items of two unrelated streams, ${scopeLabel(builder, a)} and ${scopeLabel(builder, b)}`,
    "pair them item by item with zip({ … }), or collect one of them first",
    "UnrelatedStreams",
  );
}

/** The outermost scope around `a`, or itself, that `b` is not in. */
function childOfCommon(builder: Builder, a: number, b: number): number {
  let at = a;
  while (!isWithin(builder, b, builder.scopes[at]!.parent)) at = builder.scopes[at]!.parent;
  return at;
}

/**
 * Refuses the stream of `source` inside as many others as types can say. Of the calls of workflows and the tasks of state graphs they say
 * nothing, so these may be in one another as deep as anybody wants.
 */
export function refuseDepth(builder: Builder, source: DraftSlot, segment: string): void {
  if (!isOfData(builder, source)) return;
  let streams = 0;
  for (let at = source.scope; at >= 0; at = builder.scopes[at]!.parent) {
    const { stream } = builder.scopes[at]!;
    if (stream >= 0 && isOfData(builder, builder.slots[builder.streams[stream]!.source]!)) streams++;
  }
  if (streams < MAX_DEPTH) return;
  throw buildError(
    `the items of ${segment} are ${streams + 1} streams deep`,
    `streams nest ${MAX_DEPTH} deep at most; collect an inner one, or flatten the list with derive`,
    "DeepStreams",
  );
}

function isOfData({ wired }: Builder, { id, op }: DraftSlot): boolean {
  return op?.converse === undefined && !wired.has(id);
}
