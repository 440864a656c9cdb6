/**
 * Feeds: the items of one stream on their way into another (out of an arm, or into a zip). What arrives is put down here;
 * the queue takes it on (forward.ts).
 *
 * T1  An item that is on its way keeps the item it comes from open: the credit of that stream is what bounds it.
 */
import { SlotKind, type FeedPlan, type SlotPlan } from "../model/plan.ts";
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
import { aroundOf, stopParts, stopUnread } from "./unread.ts";

/** The watched slot of one item of a fed stream resolved. */
export function feed(run: RunState, item: Context, slot: SlotPlan, state: number, value: unknown): void {
  const { to, part } = slot.feed as FeedPlan;
  const target = run.program.plan.slots[to] as SlotPlan;
  const parcel = parcelOf(item, state, value);
  const { owner } = item.stream as StreamInstance;
  if (target.zip === null && (parcel === null || !mayLeave(run, owner, parcel))) return;
  const forward = openForward(aroundOf(owner, target), target);
  if (forward === null) {
    stopUnread(run, owner, slot);
    return;
  }
  if (parcel !== null) hold(item);
  if (forward instanceof Zip) forward.offer(part, item.index, parcel);
  else if (parcel !== null) (forward as Relay).offer(parcel);
}

/** Absent and swept items are not passed on; a failed one arrives as failed. */
function parcelOf(item: Context, state: number, value: unknown): Parcel | null {
  if (item.closed || item.abandoned) return null;
  if (isBroken(state)) return { state: Resolution.skipped, value, items: [item] };
  if (state !== Resolution.value && state !== Resolution.untaken) return null;
  return { state: Resolution.value, value, items: [item] };
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
  const { to, part } = slot.feed as FeedPlan;
  const target = run.program.plan.slots[to] as SlotPlan;
  if (target.zip !== null && stream.failure === null) {
    const zip = openForward(stream.owner, target);
    if (zip instanceof Zip) zip.end(part, null);
  }
  if (stream.failure === null) resolve(stream.owner, slot, Resolution.value, undefined);
  else resolve(stream.owner, slot, Resolution.skipped, stream.failure);
}

/**
 * The stream failed, or never was. A zip makes its pairs as far as both parts go, and fails then; without any items there
 * are none. What leaves a loop or a fallback fails with it, and what leaves a choice or a race with its arm.
 */
export function feedBroke(run: RunState, context: Context, slot: SlotPlan, state: number, value: unknown): void {
  const { to, part } = slot.feed as FeedPlan;
  const target = run.program.plan.slots[to] as SlotPlan;
  const broken = isBroken(state);
  if (target.zip !== null) {
    const zip = broken ? openForward(context, target) : null;
    if (zip instanceof Zip) zip.end(part, value as Failure);
    else if (!broken) {
      closeForward(context, target, state, value);
      stopParts(run, context, target);
    }
  } else if (target.arms === null && broken && !context.closed && !context.abandoned)
    closeForward(aroundOf(context, target), target, Resolution.skipped, value);
}
