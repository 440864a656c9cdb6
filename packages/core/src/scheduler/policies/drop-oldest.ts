/** `onFull: "dropOldest"`: the oldest item in which no op has started makes room; with none such, the producer waits. */
import type { SlotPlan } from "../../model/plan.ts";
import type { Context } from "../../state/context.ts";
import { forgetQueued, laneOf } from "../../state/lane.ts";
import { isResolved, Resolution } from "../../state/resolution.ts";
import { retireItem, type StreamInstance } from "../../state/stream.ts";
import type { RunState } from "../../state/run-state.ts";
import { resolve } from "../queue.ts";

export function dropOldest(run: RunState, stream: StreamInstance): boolean {
  if (stream.plan.onFull !== "dropOldest") return false;
  for (let item = stream.first; item !== null; item = item.next) {
    if (!item.started && item.streams === null) {
      drop(run, stream, item);
      return true;
    }
  }
  return false;
}

/** Everything the item was to become is absent; it is retired at once, so its places in lanes are passed over. */
function drop(run: RunState, stream: StreamInstance, item: Context): void {
  stream.dropped++;
  run.dropped ??= [];
  run.dropped.push({ slot: stream.plan.source, owner: stream.owner, index: item.index });
  item.open = 0;
  retireItem(stream, item);
  for (let local = 1; local < item.states.length; local++) {
    const slot = run.program.plan.slots[item.scope.slots[local] as number] as SlotPlan;
    const state = item.states[local] as number;
    if (isResolved(state)) continue;
    resolve(item, slot, Resolution.absent, undefined);
    if (state === Resolution.queued) forgetQueued(laneOf(item, slot));
  }
}
