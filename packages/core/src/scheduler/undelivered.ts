/**
 * M5  When the body of a workflow is over, nobody waits for what its calls would come to: those that have come to nothing yet
 *     are swept. What goes on behind a call that has come back, comes to its end.
 */
import { GIVEN_UP, type Call } from "../model/conversation.ts";
import type { CollectPlan, SlotPlan } from "../model/plan.ts";
import type { CollectState } from "../state/collect.ts";
import type { Context } from "../state/context.ts";
import type { Pending } from "../state/pending.ts";
import { isResolved, Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import type { StreamInstance } from "../state/stream.ts";
import { abandon } from "./abandon.ts";
import { findStream } from "./streams.ts";

export function sweepUndelivered(run: RunState, { context, slot }: Pending): void {
  const stream = context.abandoned ? undefined : findStream(context, slot.stream);
  for (let item = stream?.first ?? null; item !== null;) {
    const { next } = item;
    if (!isDelivered(run, item)) abandon(run, item, Resolution.swept);
    item = next;
  }
}

/** M10  The call that its body gives up by this one is swept, unless it has come back. */
export function sweepGivenUp(run: RunState, stream: StreamInstance, { call, input }: Call): void {
  if (call !== GIVEN_UP) return;
  let item = stream.first;
  while (item !== null && item.index !== input) item = item.next;
  if (item !== null && !isDelivered(run, item)) abandon(run, item, Resolution.swept);
}

function isDelivered({ program }: RunState, { stream, states }: Context): boolean {
  const [deliver] = (stream as StreamInstance).collects;
  const { watch } = (deliver as CollectState).slot.collect as CollectPlan;
  return isResolved(states[(program.slots[watch] as SlotPlan).local] as number);
}
