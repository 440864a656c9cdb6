/** Lanes (rule 4): one leaf op × one stream instance, `laneCapacity` at a time, in arrival order. */
import type { SlotPlan } from "../../model/plan.ts";
import type { Context } from "../../state/context.ts";
import { itemOf, Lane, laneOf } from "../../state/lane.ts";
import { Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import type { StreamInstance } from "../../state/stream.ts";
import { markReady } from "../queue.ts";
import { nextInOrder } from "./ordered.ts";

/** True when it was let in at once: the caller dispatches it, without another turn through the queue. */
export function enterLane(context: Context, slot: SlotPlan): boolean {
  const lane = laneOf(context, slot);
  if (!slot.ordered && hasRoom(lane, slot)) {
    lane.running++;
    context.states[slot.local] = Resolution.admitted;
    return true;
  }
  context.states[slot.local] = Resolution.queued;
  if (slot.ordered) nextInOrder(lane, itemOf(context).index, context);
  else lane.queue.push(context);
  admitQueued(lane, slot);
  return false;
}

/** Room for one more, and nobody stands in line for it. */
export function hasRoom(lane: Lane, slot: SlotPlan): boolean {
  return lane.running < slot.laneCapacity && lane.queue.size === 0;
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

/** An item closed: ordered lanes of ops in its blocks, which may never have run, do not wait for it any more. */
export function passOver(run: RunState, stream: StreamInstance, item: Context): void {
  const slots = run.program.orderedInBlocks[stream.plan.id] as readonly SlotPlan[];
  for (const slot of slots) {
    const lane = (stream.lanes[slot.lane] ??= new Lane());
    nextInOrder(lane, item.index, null);
    admitQueued(lane, slot);
  }
}
