/** Ephemeral generators: what comes of their items reaches the run as one event (Z1, state/region.ts). */
import type { BrokenOff, Collected, Settled, ToldFailure } from "../events/record.ts";
import { SlotKind, type SlotPlan, type StreamPlan } from "../model/plan.ts";
import type { CollectState } from "../state/collect.ts";
import type { Context } from "../state/context.ts";
import type { Failure } from "../state/failure.ts";
import { openInvocations } from "../state/invocations.ts";
import type { Pending } from "../state/pending.ts";
import type { Region } from "../state/region.ts";
import { isResolved, Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import type { StreamInstance } from "../state/stream.ts";
import { givesUnrecorded } from "../state/tables.ts";
import { abandon } from "./abandon.ts";
import { leave } from "./dispatch.ts";
import type { Event } from "./event.ts";
import { breakOff, mergeFailures } from "./failures.ts";
import { itemsLeft } from "./policies/collect.ts";
import { resolve } from "./queue.ts";
import { spread } from "./spread.ts";
import { closeStreamIfDone, findStream, streamOf } from "./streams.ts";

/** The generator returned: what it gave counts when its items are through. */
export function onRegionEnd(run: RunState, pending: Pending, value: unknown): void {
  const stream = streamOf(run, pending);
  (stream.region as Region).value = value;
  stream.ended = true;
  stream.producer = null;
  if (stream.openItems > 0) {
    // Until then it is no work that could answer.
    stream.waiting = true;
    run.inFlight--;
  }
  closeStreamIfDone(run, stream);
}

/** What is recorded of a region that is through. */
export function settledOf(stream: StreamInstance): Omit<Settled, "collectors"> {
  const { value, failures } = stream.region as Region;
  return { value, collected: stream.collects.map(collectedOf), failures: failures.list() };
}

function collectedOf(collect: CollectState): Collected {
  const { slot, failure } = collect;
  if (failure !== null) return { failure: told(failure), own: failure.anchor === slot.id };
  if (slot.kind === SlotKind.collect) return { value: itemsLeft(collect) };
  return { value: slot.kind === SlotKind.reduce ? collect.accumulator : undefined };
}

/** What is recorded of one that ends what is around it. */
export function brokenOffOf(run: RunState, { failures, cut }: Region): BrokenOff {
  const { failure, raises, catcher } = cut as NonNullable<Region["cut"]>;
  const name = catcher < 0 ? null : (run.program.slots[catcher] as SlotPlan).name;
  return { failures: failures.list(), failure: told(failure), raises, catcher: name };
}

function told({ error, handled, at }: Failure): ToldFailure {
  return { error, handled, ...(at !== undefined && { at }) };
}

function failureOf(run: RunState, { error, handled, at }: ToldFailure): Failure {
  const anchor = run.program.plan.slots.find(({ name }) => name === error.node)?.id ?? 0;
  return { error, anchor, handled, ...(at !== undefined && { at }) };
}

/** Live and in replay alike: the items are gone, and what was made of them is there, in the order of an end of a stream. */
export function onSettled(run: RunState, event: Event): void {
  const pending = event.pending as Pending;
  const { context, id, local, slot } = pending;
  const settled = event.value as Settled;
  forget(run, pending);
  mergeFailures(run, settled.failures);
  const { collectors } = run.program.plan.streams[slot.stream] as StreamPlan;
  settled.collected.forEach((collected, index) => {
    const collector = run.program.slots[collectors[index] as number] as SlotPlan;
    if (isResolved(context.states[collector.local] as number)) return;
    if ("value" in collected) resolve(context, collector, Resolution.value, collected.value);
    else {
      const state = collected.own ? Resolution.failed : Resolution.skipped;
      resolve(context, collector, state, failureOf(run, collected.failure));
    }
  });
  run.inFlight--;
  context.states[local] = Resolution.value;
  context.values[local] = settled.value;
  spread(run, context, id);
  leave(run, context, slot, pending.flags);
}

/** Z3 */
export function onBrokenOff(run: RunState, event: Event): void {
  const { context } = event.pending as Pending;
  const { failures, failure, raises, catcher } = event.value as BrokenOff;
  mergeFailures(run, failures);
  const fallback = run.program.plan.slots.find(({ name }) => name === catcher)?.id ?? -1;
  breakOff(run, context, { failure: failureOf(run, failure), raises, catcher: fallback });
}

/** All of its items are closed. */
function forget(run: RunState, { context, slot }: Pending): void {
  const stream = findStream(context, slot.stream);
  if (stream === undefined) return;
  takeOut(run, stream);
}

function takeOut(run: RunState, stream: StreamInstance): void {
  const { owner } = stream;
  owner.streams?.splice(owner.streams.indexOf(stream), 1);
  owner.open--;
  run.openRegions--;
  if (run.regions !== null) run.regions = run.regions.filter((other) => other !== stream);
}

/** Z2: an attempt failed. */
export function discard(run: RunState, pending: Pending): void {
  discardIn(run, pending.context, pending.slot.stream);
  if (run.probe !== null) run.probe.reset(pending);
}

/** Z2 */
export function discardIn(run: RunState, owner: Context, id: number): void {
  const stream = findStream(owner, id);
  const region = stream?.region ?? null;
  if (stream !== undefined && region !== null) discardStream(run, stream, region);
}

/** Its generator counts as in flight, as it would if it had yielded nothing. */
function discardStream(run: RunState, stream: StreamInstance, { pending }: Region): void {
  for (const collect of stream.collects) collect.fired = true;
  for (let item = stream.first; item !== null;) {
    const { next } = item;
    abandon(run, item, Resolution.swept);
    item = next;
  }
  if (stream.waiting) run.inFlight++;
  takeOut(run, stream);
  run.gathered = run.gathered?.filter((collect) => !stream.collects.includes(collect)) ?? null;
  pending.yielded = 0;
}

/** Bodies of ephemeral generators, and of those that tell events, that a new owner begins again: what they had given is void. */
export function resetOpen(run: RunState): void {
  for (const pending of openInvocations(run))
    if ((pending.flags & givesUnrecorded) !== 0 && pending.body === null && run.probe !== null)
      run.probe.reset(pending);
}
