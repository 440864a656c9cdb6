/**
 * Streams whose items have nowhere to go: the longer parts of a zip that is over, and what would leave a block for a stream
 * that is over.
 *
 * T4  They are swept when nothing else is done with their items, in their turn in the queue (sweep.ts).
 */
import type { FeedPlan, SlotPlan, StreamPlan } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import { isResolved, Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import type { StreamInstance } from "../state/stream.ts";
import { markReady } from "./queue.ts";
import { relayIn } from "./relays.ts";

/** The zip is over. */
export function stopParts(run: RunState, owner: Context, zip: SlotPlan): void {
  for (const feed of zip.fedBy as readonly number[]) stopUnread(run, owner, run.program.plan.slots[feed] as SlotPlan);
}

/** `feed` has nobody to give to: the last of its stream's that had. */
export function stopUnread(run: RunState, owner: Context, feed: SlotPlan): void {
  const { slots, streams } = run.program.plan;
  const { passedOn, collectors } = streams[feed.collect?.stream ?? 0] as StreamPlan;
  const state = owner.states[feed.local] as number;
  if (!passedOn || isResolved(state) || state === Resolution.open) return;
  if (!collectors.every((id) => isOver(run, owner, slots[id] as SlotPlan))) return;
  // Until its turn comes; then its stream ends, and with that the feed.
  owner.states[feed.local] = Resolution.open;
  markReady(owner, feed);
}

function isOver(run: RunState, from: Context, slot: SlotPlan): boolean {
  const { to, outer } = slot.feed as FeedPlan;
  const target = run.program.plan.slots[to] as SlotPlan;
  if (outer >= 0) return isOverInItem(run, from, slot, target);
  return isResolved(aroundOf(from, target).states[target.local] as number);
}

/** A stream in an item that leaves a block, and what it goes to; until something set out for that, it is as the one around. */
function isOverInItem(run: RunState, item: Context, slot: SlotPlan, target: SlotPlan): boolean {
  // It ended; what is on its way still goes out.
  if (isResolved(item.states[slot.local] as number)) return false;
  const feed = slot.feed as FeedPlan;
  const relay = relayIn(run, item, feed);
  if (relay === undefined)
    return isOver(run, (item.stream as StreamInstance).owner, run.program.plan.slots[feed.outer] as SlotPlan);
  const { at, gone } = relay;
  return gone || (at !== null && (at.closed || at.abandoned || isResolved(at.states[target.local] as number)));
}

/** A feed of an arm goes to a slot of the context around the arm, that of a zip to one beside it. */
export function aroundOf(from: Context, target: SlotPlan): Context {
  let owner = from;
  while (owner.scope.id !== target.scope) owner = owner.parent as Context;
  return owner;
}
