/** Streams whose end must come before something can resolve. */
import { SlotKind, type CollectPlan, type Dependency } from "../model/plan.ts";
import type { Builder, DraftSlot } from "./builder.ts";

const NO_ENDS: ReadonlySet<number> = new Set();

/** Those that a new slot needs. */
export function endsOf(
  builder: Builder,
  dependencies: readonly Dependency[],
  collect: CollectPlan | null,
  feeders: readonly number[],
): ReadonlySet<number> {
  let ends = NO_ENDS;
  for (const slot of feeders) ends = union(ends, builder.ends[slot]!);
  for (const { slot } of dependencies) ends = union(ends, endsBehind(builder, slot));
  if (collect === null) return ends;
  ends = union(ends, builder.ends[collect.watch]!);
  ends = union(ends, builder.ends[builder.streams[collect.stream]!.source]!);
  return union(ends, new Set([collect.stream]));
}

/**
 * Those that an item of the stream needs to be there: what its source needs to begin. A stream that is passed on gives its
 * items while those that it comes from go on.
 */
export function endsOfItems(builder: Builder, source: DraftSlot): ReadonlySet<number> {
  if (source.fedBy === null) return builder.ends[source.id]!;
  let ends = NO_ENDS;
  for (const id of source.fedBy) {
    const { collect, dependencies } = builder.slots[id]!;
    // What is not a feed is the block that the stream leaves.
    if (collect === null) for (const { slot } of dependencies) ends = union(ends, endsBehind(builder, slot));
    else
      ends = union(ends, union(builder.ends[collect.watch]!, endsOfItems(builder, sourceOf(builder, collect.stream))));
  }
  return ends;
}

/** The stream, and those whose items are passed on into it, at once or by others in between. */
export function passedInto(builder: Builder, stream: number): number[] {
  const feeds = sourceOf(builder, stream).fedBy ?? [];
  return [
    stream,
    ...feeds.flatMap((id) => {
      const { collect } = builder.slots[id]!;
      return collect === null ? [] : passedInto(builder, collect.stream);
    }),
  ];
}

function sourceOf(builder: Builder, stream: number): DraftSlot {
  return builder.slots[builder.streams[stream]!.source]!;
}

/** A generator's return value comes with the end of its stream, the result of some blocks when all in them ended. */
function endsBehind(builder: Builder, slot: number): ReadonlySet<number> {
  const { kind, stream, arms } = builder.slots[slot]!;
  const ends = builder.ends[slot]!;
  if (kind === SlotKind.op && stream >= 0) return union(ends, new Set([stream]));
  return ENDS_LAST.has(kind) ? union(ends, streamsIn(builder, arms?.block ?? slot)) : ends;
}

const ENDS_LAST: ReadonlySet<number> = new Set<number>([
  SlotKind.loop,
  SlotKind.fallback,
  SlotKind.bounded,
  SlotKind.through,
]);

function streamsIn(builder: Builder, block: number): ReadonlySet<number> {
  const streams = builder.streams.filter(({ itemScope }) => {
    for (let at = builder.scopes[itemScope]; at !== undefined; at = builder.scopes[at.parent])
      if (at.block === block) return true;
    return false;
  });
  return new Set(streams.map(({ id }) => id));
}

function union(a: ReadonlySet<number>, b: ReadonlySet<number>): ReadonlySet<number> {
  if (b.size === 0 || a === b) return a;
  if (a.size === 0) return b;
  return new Set([...a, ...b]);
}
