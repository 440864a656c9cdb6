import { buildError } from "../base/error.ts";
import type { Builder } from "./builder.ts";

/**
 * Two bounded streams that wait for each other's end can fill up and stand still: the items of one need the end of the
 * other to close, and the other's items need the end of the first. One stream that waits for itself is refused where the
 * slot is made (slots.ts); this is the same over several.
 */
export function refuseCrossBlocking(builder: Builder): void {
  const needs = builder.streams.map(() => new Set<number>());
  for (const slot of builder.slots) {
    const ends = builder.ends[slot.id]!;
    if (ends.size > 0)
      for (const stream of streamsAround(builder, slot.scope)) for (const end of ends) needs[stream]!.add(end);
  }
  for (const stream of builder.streams) {
    const circle = circleFrom(needs, stream.id);
    if (circle !== undefined) throw crossBlocking(builder, circle);
  }
}

function streamsAround(builder: Builder, scope: number): number[] {
  const streams: number[] = [];
  for (let at = builder.scopes[scope]; at !== undefined; at = builder.scopes[at.parent])
    if (at.stream >= 0) streams.push(at.stream);
  return streams;
}

/** The shortest way from `start` back to it, if there is one over others. */
function circleFrom(needs: readonly ReadonlySet<number>[], start: number): number[] | undefined {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const next of needs[at]!) {
      if (next === start && at !== start) return wayTo(cameFrom, start, at);
      if (next !== start && !cameFrom.has(next)) {
        cameFrom.set(next, at);
        queue.push(next);
      }
    }
  }
  return undefined;
}

function wayTo(cameFrom: ReadonlyMap<number, number>, start: number, end: number): number[] {
  const way = [end];
  for (let at = end; at !== start; at = cameFrom.get(at) ?? start) way.push(cameFrom.get(at) ?? start);
  return way.reverse();
}

function crossBlocking(builder: Builder, circle: readonly number[]): Error {
  const names = circle.map((stream) => `"${builder.streams[stream]!.segment}"`);
  return buildError(
    `the streams ${names.join(" and ")} wait for each other: items of each need the end of the other before they can close`,
    "make two passes over one of them: each(collect(x)) reads the list again once it is complete",
    "SelfBlockingStream",
  );
}
