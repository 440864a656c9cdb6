/**
 * `ordered: true`: the lane takes items in yield order, whatever order they arrive in. An item that resolved without
 * running (absent, skipped) is passed over; one that has not resolved holds those behind it.
 *
 * In a block the op may run more than once per item, or never: an item that had its turn may come again, and one that
 * closes gives its turn away.
 */
import type { Context } from "../../state/context.ts";
import { Gaps } from "../../state/gaps.ts";
import type { Lane } from "../../state/lane.ts";

/** Notes that item `index` arrived (null: resolved without running) and queues all whose turn that makes it. */
export function nextInOrder(lane: Lane, index: number, context: Context | null): void {
  if (index > lane.next) {
    arriveEarly(lane, index, context);
    return;
  }
  if (context !== null) lane.queue.push(context);
  if (index < lane.next) return;
  lane.next++;
  if (lane.early !== null || lane.gaps !== null) queueEarly(lane);
}

/** What it said last counts. */
function arriveEarly(lane: Lane, index: number, context: Context | null): void {
  if (context === null) {
    lane.early?.delete(index);
    lane.gaps ??= new Gaps();
    lane.gaps.add(index);
    return;
  }
  lane.gaps?.remove(index);
  lane.early ??= new Map();
  lane.early.set(index, context);
}

function queueEarly(lane: Lane): void {
  const { early, gaps } = lane;
  for (;;) {
    lane.next = gaps?.pass(lane.next) ?? lane.next;
    const next = early?.get(lane.next);
    if (next === undefined) return;
    early?.delete(lane.next++);
    lane.queue.push(next);
  }
}
