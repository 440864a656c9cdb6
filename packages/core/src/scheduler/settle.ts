import { SlotKind, type SlotPlan, type StreamPlan } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import type { Failure } from "../state/failure.ts";
import { isBroken, isResolved, Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import type { StreamInstance } from "../state/stream.ts";
import { failForwarded } from "./forward.ts";
import { resolve } from "./queue.ts";
import { findStream, openStream, streamEnded } from "./streams.ts";

/**
 * The source of a stream resolved without a value. If it failed, or items are out already, that is the end of the
 * stream; otherwise there is no stream, and its collectors resolve as the source did.
 */
export function settleStream(run: RunState, context: Context, slot: SlotPlan, state: number, value: unknown): void {
  if (context.abandoned) return;
  const known = findStream(context, slot.stream);
  // A zip that failed by being uneven has ended its stream itself.
  if (known === undefined && slot.zip !== null && state === Resolution.failed) return;
  const stream = opens(run, context, slot, state) ? (known ?? openStream(run, context, slot, null)) : known;
  if (stream === undefined || neverWas(stream, state)) settleCollectors(run, context, slot, state, value);
  if (stream !== undefined) endStream(run, stream, isBroken(state) ? (value as Failure) : null);
}

/** Out of an arm that was not taken come no items, and a failed stream has none either: both are streams. */
function opens(run: RunState, context: Context, slot: SlotPlan, state: number): boolean {
  return state === Resolution.failed || state === Resolution.untaken || leavesOverdue(run, context, slot);
}

/** One part of a zip never was: nor was the zip, whichever part was known first. */
function neverWas({ forward, collects, yielded, ended }: StreamInstance, state: number): boolean {
  if (forward === null || yielded > 0 || ended) return false;
  if (state !== Resolution.absent && state !== Resolution.swept) return false;
  for (const collect of collects) collect.fired = true;
  return true;
}

/** The time of the call that it leaves was over before its first item: it failed, as it would have behind that. */
function leavesOverdue(run: RunState, context: Context, { arms }: SlotPlan): boolean {
  const block = arms === null ? undefined : run.program.slots[arms.block];
  return block?.kind === SlotKind.bounded && context.states[block.local] === Resolution.failed;
}

function endStream(run: RunState, stream: StreamInstance, failure: Failure | null): void {
  if (stream.forward !== null && failure !== null) failForwarded(run, stream, failure);
  else streamEnded(run, stream, failure);
}

function settleCollectors(run: RunState, context: Context, slot: SlotPlan, state: number, value: unknown): void {
  const { plan } = run.program;
  for (const id of (plan.streams[slot.stream] as StreamPlan).collectors) {
    const collector = plan.slots[id] as SlotPlan;
    if (!isResolved(context.states[collector.local] as number)) resolve(context, collector, state, value);
  }
}
