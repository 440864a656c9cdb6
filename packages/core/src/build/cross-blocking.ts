import { buildError } from "../base/error.ts";
import type { Builder } from "./builder.ts";

/**
 * Two bounded streams that wait for each other's end can fill up and stand still: the items of one need the end of the
 * other to close, and the other's items need the end of the first. One stream that waits for itself is refused where the
 * slot is made (slots.ts); this is the same over several. A stream whose items are passed on is also held up by the one
 * that they go to, and the parts of a zip by each other.
 */
export function refuseCrossBlocking(builder: Builder): void {
  const needs = neededEnds(builder);
  const holds = heldUp(builder);
  for (const [stream, ends] of needs.entries()) {
    for (const end of ends) {
      const way = end === stream ? undefined : wayBetween(needs, holds, end, stream);
      if (way !== undefined) throw crossBlocking(builder, [stream, ...way]);
    }
  }
}

/** By stream: those whose end something in its items needs. */
function neededEnds(builder: Builder): ReadonlySet<number>[] {
  const needs = builder.streams.map(() => new Set<number>());
  for (const slot of builder.slots) {
    const ends = builder.ends[slot.id]!;
    if (ends.size > 0)
      for (const stream of streamsAround(builder, slot.scope)) for (const end of ends) needs[stream]!.add(end);
  }
  return needs;
}

/** By stream: those whose items must go on for its own to close. */
function heldUp({ slots, streams }: Builder): ReadonlySet<number>[] {
  const holds = streams.map(() => new Set<number>());
  for (const { stream, fedBy, zip } of slots) {
    if (fedBy === null || stream < 0) continue;
    const from = fedBy.flatMap((id) => slots[id]!.collect?.stream ?? []);
    const others = zip === null ? [stream] : [stream, ...from];
    for (const part of from) for (const other of others) if (other !== part) holds[part]!.add(other);
  }
  return holds;
}

function streamsAround(builder: Builder, scope: number): number[] {
  const streams: number[] = [];
  for (let at = builder.scopes[scope]; at !== undefined; at = builder.scopes[at.parent])
    if (at.stream >= 0) streams.push(at.stream);
  return streams;
}

/** The shortest way from `start` to `goal` over what each needs or is held up by. */
function wayBetween(
  needs: readonly ReadonlySet<number>[],
  holds: readonly ReadonlySet<number>[],
  start: number,
  goal: number,
): number[] | undefined {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const next of [...needs[at]!, ...holds[at]!]) {
      if (next === goal) return wayTo(cameFrom, start, at);
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
