import { SlotKind } from "../model/plan.ts";
import type { Builder, DraftSlot } from "./builder.ts";
import { feedersOf } from "./feeders.ts";
import { reach } from "./reach.ts";
import { isWithin } from "./scopes.ts";

type Stream = Builder["streams"][number];

/** They compute, and that is all: what nobody reads of them is nothing. */
const SILENT: ReadonlySet<number> = new Set<number>([
  SlotKind.item,
  SlotKind.derive,
  SlotKind.orElse,
  SlotKind.filter,
  SlotKind.present,
  SlotKind.record,
  SlotKind.taken,
]);

/**
 * Marks the streams of which nothing is done but to pass their items on, into a zip or out of a block: everything that runs
 * per item runs for what is passed on, and nobody reads what the source itself gives. An op that nobody reads is there for
 * its effect, and an unsafe one is never broken off: with these, the stream goes on whatever becomes of its items.
 */
export function markPassedOn(builder: Builder): void {
  for (const stream of builder.streams) stream.passedOn = isPassedOn(builder, stream);
}

function isPassedOn(builder: Builder, { collectors, source, itemScope }: Stream): boolean {
  const feeds = collectors.map((id) => builder.slots[id]!);
  if (feeds.length === 0 || feeds.some(({ kind }) => kind !== SlotKind.feed)) return false;
  const maker = builder.slots[source]!;
  if (isUnsafe(maker) || isRead(builder, source, itemScope) || !isMadeOfPassedOn(builder, maker)) return false;
  const needed = reach(
    builder,
    feeds.map(({ collect }) => collect!.watch),
  );
  return builder.slots.every(
    (slot) =>
      !isWithin(builder, slot.scope, itemScope) || SILENT.has(slot.kind) || (needed.has(slot.id) && !isUnsafe(slot)),
  );
}

function isUnsafe({ op }: DraftSlot): boolean {
  return op?.effect === "unsafe";
}

/**
 * What a generator returned, or what a block gives beside its stream. In its items, only the end of a stream that leaves
 * with it is: that says nothing to anybody else.
 */
function isRead(builder: Builder, source: number, itemScope: number): boolean {
  return builder.slots.some(
    (slot) =>
      (slot.dependencies.some((dependency) => dependency.slot === source) || feedersOf(slot).includes(source)) &&
      !isWithin(builder, slot.scope, itemScope),
  );
}

/** Of a stream that leaves a block: so are those inside, which are older. The parts of a zip speak for themselves. */
function isMadeOfPassedOn(builder: Builder, { fedBy, zip }: DraftSlot): boolean {
  if (fedBy === null || zip !== null) return true;
  return fedBy.every((id) => {
    const { collect } = builder.slots[id]!;
    return collect === null || builder.streams[collect.stream]!.passedOn;
  });
}
