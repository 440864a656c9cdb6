/** Lanes (rule 4): one leaf op × one stream instance, `laneCapacity` at a time, in arrival order. */
import type { SlotPlan } from "../../model/plan.ts";
import type { Context } from "../../state/context.ts";
import { laneOf, type Lane } from "../../state/lane.ts";
import { Resolution } from "../../state/resolution.ts";
import { markReady } from "../queue.ts";
import { nextInOrder } from "./ordered.ts";

/** True when it was let in at once: the caller dispatches it, without another turn through the queue. */
export function enterLane(context: Context, slot: SlotPlan): boolean {
  const lane = laneOf(context, slot);
  if (!slot.ordered && lane.running < slot.laneCapacity && lane.queue.size === 0) {
    lane.running++;
    context.states[slot.local] = Resolution.admitted;
    return true;
  }
  context.states[slot.local] = Resolution.queued;
  if (slot.ordered) nextInOrder(lane, context.index, context);
  else lane.queue.push(context);
  admitQueued(lane, slot);
  return false;
}

export function admitQueued(lane: Lane, slot: SlotPlan): void {
  for (let next = admitNext(lane, slot); next !== null; next = admitNext(lane, slot)) markReady(next, slot);
}

/** L1: running ≤ laneCapacity. Items that were dropped meanwhile are passed over. */
export function admitNext(lane: Lane, slot: SlotPlan): Context | null {
  while (lane.running < slot.laneCapacity) {
    const next = lane.queue.take();
    if (next === undefined) return null;
    if (next.closed || next.states[slot.local] !== Resolution.queued) continue;
    lane.running++;
    next.states[slot.local] = Resolution.admitted;
    return next;
  }
  return null;
}
