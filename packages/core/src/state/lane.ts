import type { SlotPlan } from "../model/plan.ts";
import type { Context } from "./context.ts";
import { Fifo } from "./fifo.ts";
import type { Gaps } from "./gaps.ts";
import type { StreamInstance } from "./stream.ts";

/**
 * One leaf op × one stream instance.
 *
 * L1  `running` never exceeds the op's capacity.
 * L2  What it keeps of items whose turn has not come is bounded by the buffer of the stream: items that are open, and
 *     ranges of those that do not come, with an open item between any two.
 */
export class Lane {
  running = 0;
  /** Ready items in arrival order. */
  readonly queue: Fifo<Context> = new Fifo();
  /** Items in the queue that were dropped meanwhile. */
  stale = 0;
  /** Ordered lanes: the index that goes next, those that arrived early, and those that give their turn away. */
  next = 0;
  early: Map<number, Context> | null = null;
  gaps: Gaps | null = null;
}

/** A queued item was dropped: it is passed over in its turn, and removed when half of the queue is such. */
export function forgetQueued(lane: Lane): void {
  lane.stale++;
  if (lane.stale < 64 || lane.stale * 2 < lane.queue.size) return;
  lane.queue.prune((item) => !item.closed);
  lane.stale = 0;
}

/** The lane of `slot` in the stream that the context is in, as an item or inside one. */
export function laneOf(context: Context, slot: SlotPlan): Lane {
  const { lanes } = itemOf(context).stream as StreamInstance;
  return (lanes[slot.lane] ??= new Lane());
}

/** The innermost item around the context: itself, or the one that an arm or iteration is open in. */
export function itemOf(context: Context): Context {
  let at = context;
  while (at.stream === null && at.parent !== null) at = at.parent;
  return at;
}
