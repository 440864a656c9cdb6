/**
 * `ordered: true`: the lane takes items in yield order, whatever order they arrive in. An item that resolved without
 * running (absent, skipped) is passed over; one that has not resolved holds those behind it.
 *
 * In a block the op may run more than once per item, or never: an item that had its turn may come again, and one that
 * closes gives its turn away.
 */
import type { Context } from "../../state/context.ts";
import type { Lane } from "../../state/lane.ts";

/** Notes that item `index` arrived (null: resolved without running) and queues all whose turn that makes it. */
export function nextInOrder(lane: Lane, index: number, context: Context | null): void {
  if (index < lane.next) {
    if (context !== null) lane.queue.push(context);
    return;
  }
  lane.early ??= new Map();
  lane.early.set(index, context);
  for (let next = lane.early.get(lane.next); next !== undefined; next = lane.early.get(lane.next)) {
    lane.early.delete(lane.next);
    lane.next++;
    if (next !== null) lane.queue.push(next);
  }
}
