/**
 * Feeds: the items of one stream on their way into another (out of an arm, or into a zip). What arrives is put down here;
 * the queue takes it on (forward.ts).
 *
 * T1  An item that is on its way keeps the item it comes from open: the credit of that stream is what bounds it.
 */
import { SlotKind, type CollectPlan, type FeedPlan, type SlotPlan } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import type { Failure } from "../state/failure.ts";
import { Zip, type Parcel, type Relay } from "../state/forward.ts";
import { isBroken, Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import type { StreamInstance } from "../state/stream.ts";
import { winByItem } from "./blocks/race.ts";
import { hold } from "./hold.ts";
import { closeForward, openForward } from "./open-forward.ts";
import { resolve } from "./queue.ts";
import { addRelay, breakRelay, endRelay, forgetRelay, relayIn, wakeRelay } from "./relays.ts";
import { aroundOf, stopParts, stopUnread } from "./unread.ts";

/** The watched slot of one item of a fed stream resolved. */
export function feed(run: RunState, item: Context, slot: SlotPlan, state: number, value: unknown): void {
  const { to, part } = slot.feed as FeedPlan;
  const target = run.program.plan.slots[to] as SlotPlan;
  const parcel = parcelOf(item, state, value);
  if (target.zip === null) {
    const streams = streamsInItems(run, slot);
    if (streams === null) leave(run, item, slot, parcel);
    else leaveWhole(run, item, slot, streams, parcel);
    return;
  }
  const { owner } = item.stream as StreamInstance;
  const zip = openForward(owner, target);
  if (zip === null) {
    stopUnread(run, owner, slot);
    return;
  }
  if (parcel !== null) hold(item);
  if (zip instanceof Zip) zip.offer(part, item.index, parcel);
}

/** Absent and swept items are not passed on; a failed one arrives as failed. */
function parcelOf(item: Context, state: number, value: unknown): Parcel | null {
  if (item.closed || item.abandoned) return null;
  if (isBroken(state)) return { state: Resolution.skipped, value, items: [item], inner: null };
  if (state !== Resolution.value && state !== Resolution.untaken) return null;
  return { state: Resolution.value, value, items: [item], inner: null };
}

/** Out of a block; false when it does not go out. */
function leave(run: RunState, item: Context, slot: SlotPlan, parcel: Parcel | null): boolean {
  if (parcel === null || !mayLeave(run, armAround(run, item, slot), parcel)) return false;
  const relay = relayTo(run, item, slot);
  if (relay === null) {
    stopUnread(run, (item.stream as StreamInstance).owner, slot);
    return false;
  }
  hold(item);
  relay.offer(parcel);
  return true;
}

/** Where items go that leave `item`'s stream. An item inside that has set out for nothing yet does so with this one. */
function relayTo(run: RunState, item: Context, slot: SlotPlan): Relay | null {
  const feed = slot.feed as FeedPlan;
  const { slots } = run.program.plan;
  const { owner } = item.stream as StreamInstance;
  if (feed.outer < 0) {
    const target = slots[feed.to] as SlotPlan;
    return openForward(aroundOf(owner, target), target) as Relay | null;
  }
  const known = relayIn(run, owner, feed);
  if (known !== undefined) return wakeRelay(run, known);
  const inner = addRelay(run, owner, feed);
  const parcel = { state: Resolution.value, value: undefined, items: [owner], inner };
  inner.gone = !leave(run, owner, slots[feed.outer] as SlotPlan, parcel);
  return inner.gone ? null : inner;
}

/** Of the feed of a stream of streams: the feed of those in its items. */
function streamsInItems(run: RunState, { collect }: SlotPlan): SlotPlan | null {
  const watched = run.program.plan.slots[(collect as CollectPlan).watch] as SlotPlan;
  return watched.feed?.outer !== undefined && watched.feed.outer >= 0 ? watched : null;
}

/** The stream in an item is over: the item sets out now, if it has not with the first item of that. */
function leaveWhole(run: RunState, item: Context, slot: SlotPlan, streams: SlotPlan, parcel: Parcel | null): void {
  const feed = streams.feed as FeedPlan;
  if (relayIn(run, item, feed) === undefined && parcel !== null) {
    const inner = addRelay(run, item, feed);
    if (parcel.state === Resolution.value) endRelay(run, inner);
    else breakRelay(run, inner, parcel.state, parcel.value);
    leave(run, item, slot, { ...parcel, value: parcel.state === Resolution.value ? undefined : parcel.value, inner });
  }
  forgetRelay(run, item, feed);
}

/** The context of the block that the items of `item`'s stream leave. */
function armAround(run: RunState, item: Context, slot: SlotPlan): Context {
  const { outer } = slot.feed as FeedPlan;
  const { owner } = item.stream as StreamInstance;
  return outer < 0 ? owner : armAround(run, owner, run.program.plan.slots[outer] as SlotPlan);
}

/** The first item that leaves an arm of a race decides it; nothing leaves the others. */
function mayLeave(run: RunState, arm: Context, { state }: Parcel): boolean {
  const { block } = arm;
  if (block === null || block.slot.kind !== SlotKind.race) return true;
  if (!block.decided && state === Resolution.value) winByItem(run, block, arm);
  return block.winner === arm;
}

/** A fed stream ended. */
export function fireFeed(run: RunState, stream: StreamInstance, slot: SlotPlan): void {
  const { to, part, outer } = slot.feed as FeedPlan;
  const target = run.program.plan.slots[to] as SlotPlan;
  if (outer >= 0 && stream.failure === null) {
    const relay = relayIn(run, stream.owner, slot.feed as FeedPlan);
    if (relay !== undefined) endRelay(run, relay);
  }
  if (target.zip !== null && stream.failure === null) {
    const zip = openForward(stream.owner, target);
    if (zip instanceof Zip) zip.end(part, null);
  }
  if (stream.failure === null) resolve(stream.owner, slot, Resolution.value, undefined);
  else resolve(stream.owner, slot, Resolution.skipped, stream.failure);
}

/**
 * The stream failed, or never was. A zip makes its pairs as far as both parts go, and fails then; without any items there
 * are none. What leaves a loop or a fallback fails with it, and what leaves a choice or a race with its arm; a stream in an
 * item fails alone.
 */
export function feedBroke(run: RunState, context: Context, slot: SlotPlan, state: number, value: unknown): void {
  const { to, part, outer } = slot.feed as FeedPlan;
  const target = run.program.plan.slots[to] as SlotPlan;
  const broken = isBroken(state);
  if (outer >= 0) {
    const relay = relayIn(run, context, slot.feed as FeedPlan);
    if (relay !== undefined) breakRelay(run, relay, state, value);
  } else if (target.zip !== null) {
    const zip = broken ? openForward(context, target) : null;
    if (zip instanceof Zip) zip.end(part, value as Failure);
    else if (!broken) {
      closeForward(context, target, state, value);
      stopParts(run, context, target);
    }
  } else if (target.arms === null && broken && !context.closed && !context.abandoned)
    closeForward(aroundOf(context, target), target, Resolution.skipped, value);
}
