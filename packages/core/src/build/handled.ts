import { SlotKind } from "../model/plan.ts";
import type { Builder, DraftSlot } from "./builder.ts";
import { feedersOf } from "./feeders.ts";

/**
 * Marks the slots whose failure is handled: every path from them meets a fallback, a race, or a `skip` or `settle`
 * before an output or a dead end (DESIGN §3 rule 10). Ids are a topological order, so one pass from the last slot
 * suffices. An `end` is no path: it takes items as they come.
 *
 * In the body of a fallback, a failure that nothing in the body handles is the fallback's: it is the slot's `catcher`.
 * A failure from outside of the body that skips what is in it is not: it happened elsewhere.
 */
export function markHandled(builder: Builder): void {
  const paths: boolean[][] = builder.slots.map(() => []);
  for (let id = builder.slots.length - 1; id >= 0; id--) {
    const slot = builder.slots[id]!;
    const answers = paths[id]!;
    const inside = answers.length > 0 && answers.every(Boolean);
    const taker = inside ? null : takerAround(builder, slot.scope);
    slot.catcher = taker?.kind === SlotKind.fallback ? taker.id : -1;
    slot.handled = inside || taker !== null;
    for (const { slot: source } of slot.dependencies) paths[source]!.push(inside);
    for (const feeder of feedersOf(slot)) paths[feeder]!.push(inside && !leavesBody(slot, feeder));
    if (slot.feed !== null) followFeed(builder, slot, paths);
    else if (slot.collect !== null) followCollector(builder, slot, inside, paths);
  }
}

/** What leaves the body of a fallback was not handled in it; its handler's failure is the fallback's own. */
function leavesBody({ kind, block }: DraftSlot, feeder: number): boolean {
  return kind === SlotKind.fallback && block!.results[0] === feeder;
}

/**
 * The innermost block around that takes failures: a fallback around its body, or a race around its arms. An arm that
 * fails loses its race, and ends no fallback around that; when all do, the race itself fails.
 */
function takerAround(builder: Builder, scope: number): DraftSlot | null {
  for (let at = builder.scopes[scope]; at !== undefined; at = builder.scopes[at.parent]) {
    const block = builder.slots[at.block];
    if (block?.kind === SlotKind.race || (block?.kind === SlotKind.fallback && at.arm === 0)) return block;
  }
  return null;
}

/**
 * An item that is passed on fails where it arrives; a stream that failed ends the stream that it feeds. What leaves the body
 * of a fallback was not handled in it.
 */
function followFeed(builder: Builder, slot: DraftSlot, paths: boolean[][]): void {
  const { watch, stream } = slot.collect!;
  const target = builder.slots[slot.feed!.to]!;
  const item = builder.scopes[builder.streams[target.stream]!.itemScope]!.slots[0]!;
  const { block, arm } = builder.scopes[outermost(builder, slot).scope]!;
  const leaves = target.scope !== slot.scope && builder.slots[block]?.kind === SlotKind.fallback && arm === 0;
  paths[watch]!.push(!leaves && isHandled(paths, item));
  paths[builder.streams[stream]!.source]!.push(!leaves && isHandled(paths, target.id));
}

/** The feed out of the block itself: others are in items of the streams that leave it. */
function outermost(builder: Builder, feed: DraftSlot): DraftSlot {
  const { outer } = feed.feed!;
  return outer < 0 ? feed : outermost(builder, builder.slots[outer]!);
}

function isHandled(paths: readonly boolean[][], slot: number): boolean {
  const answers = paths[slot]!;
  return answers.length > 0 && answers.every(Boolean);
}

/** An item that failed stops at `skip` and `settle`; a stream that failed only at `settle`. */
function followCollector(builder: Builder, slot: DraftSlot, inside: boolean, paths: boolean[][]): void {
  const { watch, stream, errors } = slot.collect!;
  if (slot.kind !== SlotKind.end) paths[watch]!.push(inside || errors !== "fail");
  // A body that is told what its items came to is no more handled for that.
  if (slot.kind !== SlotKind.deliver) paths[builder.streams[stream]!.source]!.push(inside || errors === "settle");
}
