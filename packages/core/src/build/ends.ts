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
  for (const slot of feeders) ends = union(ends, endsOfFeeder(builder, builder.slots[slot]!));
  for (const { slot } of dependencies) ends = union(ends, endsBehind(builder, slot));
  if (collect === null) return ends;
  ends = union(ends, builder.ends[collect.watch]!);
  ends = union(ends, builder.ends[builder.streams[collect.stream]!.source]!);
  return union(ends, new Set([collect.stream]));
}

/** A stream that leaves in the items of another needs one of those, and not the end of that one. */
function endsOfFeeder(builder: Builder, slot: DraftSlot): ReadonlySet<number> {
  return slot.kind === SlotKind.forward ? endsOfItems(builder, slot) : builder.ends[slot.id]!;
}

/**
 * Those that an item of the stream needs to be there: what its source needs to begin. A stream that is passed on gives its
 * items while those that it comes from go on.
 */
export function endsOfItems(builder: Builder, source: DraftSlot): ReadonlySet<number> {
  if (source.fedBy === null) return builder.ends[source.id]!;
  let ends = NO_ENDS;
  for (const id of source.fedBy) {
    const { collect, dependencies, kind } = builder.slots[id]!;
    // What is not a feed is the block that the stream leaves, or the stream in whose items it does.
    if (kind === SlotKind.forward) ends = union(ends, endsOfItems(builder, builder.slots[id]!));
    else if (collect === null) for (const { slot } of dependencies) ends = union(ends, endsBehind(builder, slot));
    else ends = union(ends, endsOfFed(builder, collect));
  }
  return ends;
}

/** Those that an item needs to be passed on. One with a stream in it goes with the first item of that. */
function endsOfFed(builder: Builder, { watch, stream }: CollectPlan): ReadonlySet<number> {
  const { kind, collect } = builder.slots[watch]!;
  const ends = kind === SlotKind.feed ? endsOfFed(builder, collect!) : builder.ends[watch]!;
  return union(ends, endsOfItems(builder, sourceOf(builder, stream)));
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
