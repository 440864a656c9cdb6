/**
 * Collect, reduce and end over one stream instance (rule 3).
 *
 * C1  `left` is the number of opened items whose watched slot is unresolved.
 * C2  It fires once: when the stream ended and `left` is zero, not when contexts close.
 * C3  Yield order is kept, whatever order the items resolved in.
 * C4  An item that a reduce cannot fold yet, because an earlier one is not through, stays open until it is folded: the
 *     buffer of the stream bounds what a reduce keeps.
 */
import type { CollectPlan, SlotPlan } from "../model/plan.ts";
import type { CollectState } from "../state/collect.ts";
import type { Context } from "../state/context.ts";
import { isResolved, Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import type { StreamInstance } from "../state/stream.ts";
import { SlotKind } from "../model/plan.ts";
import { feed, fireFeed } from "./feeds.ts";
import { fireCollect, gatherCollect } from "./policies/collect.ts";
import { gatherDelivery } from "./policies/deliver.ts";
import { fireReduce, gatherReduce } from "./policies/reduce.ts";
import { resolve } from "./queue.ts";

/** The watched slot of one item resolved. */
export function gather(run: RunState, item: Context, slot: SlotPlan, state: number, value: unknown): void {
  const stream = item.stream as StreamInstance;
  const collect = stream.collects[(slot.collect as CollectPlan).index] as CollectState;
  if (collect.fired) return;
  if (slot.kind === SlotKind.collect) gatherCollect(collect, item.index, state, value);
  else if (slot.kind === SlotKind.reduce) gatherReduce(run, collect, item, state, value);
  else if (slot.kind === SlotKind.feed) feed(run, item, slot, state, value);
  else if (slot.kind === SlotKind.deliver) gatherDelivery(run, stream, collect, { index: item.index, state, value });
  collect.left--;
  fireIfDone(run, stream, collect);
}

/** C2 */
export function fireIfDone(run: RunState, stream: StreamInstance, collect: CollectState): void {
  // Z1
  if (!stream.ended || collect.left > 0 || collect.fired || stream.region !== null) return;
  collect.fired = true;
  const { slot } = collect;
  // Its stream was swept, and then the item around.
  if (isResolved(stream.owner.states[slot.local] as number)) return;
  if (slot.kind === SlotKind.collect) fireCollect(stream, collect);
  else if (slot.kind === SlotKind.reduce) fireReduce(run, stream, collect);
  else if (slot.kind === SlotKind.feed) fireFeed(run, stream, slot);
  else if (stream.failure === null) resolve(stream.owner, slot, Resolution.value, undefined);
  else resolve(stream.owner, slot, Resolution.skipped, stream.failure);
}
