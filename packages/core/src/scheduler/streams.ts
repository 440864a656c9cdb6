/** Streams open, yield items, end, and are done when their last item closed. */
import type { SlotPlan, StreamPlan } from "../model/plan.ts";
import { CollectState } from "../state/collect.ts";
import type { Context } from "../state/context.ts";
import type { Failure } from "../state/failure.ts";
import type { Pending } from "../state/pending.ts";
import { OpenItems } from "../state/open-items.ts";
import { isBroken, isResolved, Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { StreamInstance } from "../state/stream.ts";
import { fireIfDone } from "./collectors.ts";
import { openItemContext } from "./contexts.ts";
import { doneWith, resolve } from "./queue.ts";

export function openStream(
  run: RunState,
  context: Context,
  slot: SlotPlan,
  list: readonly unknown[] | null,
): StreamInstance {
  const { plan } = run.program;
  const streamPlan = plan.streams[slot.stream] as StreamPlan;
  const collects = streamPlan.collectors.map((id) => new CollectState(plan.slots[id] as SlotPlan));
  const stream = new StreamInstance(streamPlan, context, list, collects);
  if (run.replaying) stream.byIndex = new OpenItems();
  context.streams ??= [];
  context.streams.push(stream);
  context.open++;
  return stream;
}

export function findStream(context: Context, stream: number): StreamInstance | undefined {
  const { streams } = context;
  if (streams === null) return undefined;
  for (let i = 0; i < streams.length; i++) if ((streams[i] as StreamInstance).plan.id === stream) return streams[i];
  return undefined;
}

export function openItem(run: RunState, stream: StreamInstance, value: unknown): void {
  const index = stream.yielded++;
  for (let i = 0; i < stream.collects.length; i++) stream.collects[i]!.left++;
  openItemContext(run, stream, index, value);
}

/** A frame of a generator: its stream opens with the first one. */
export function streamOf(run: RunState, producer: Pending): StreamInstance {
  const known = findStream(producer.context, producer.slot.stream);
  if (known !== undefined) return known;
  const stream = openStream(run, producer.context, producer.slot, null);
  stream.producer = producer;
  return stream;
}

/** No more items will come; with `failure` because the source failed. */
export function streamEnded(stream: StreamInstance, failure: Failure | null): void {
  if (stream.ended) return;
  stream.ended = true;
  stream.failure = failure;
  stream.producer = null;
  for (const collect of stream.collects) fireIfDone(stream, collect);
  closeStreamIfDone(stream);
}

export function closeStreamIfDone(stream: StreamInstance): void {
  if (!stream.ended || stream.openItems > 0) return;
  const { streams } = stream.owner;
  const at = streams?.indexOf(stream) ?? -1;
  if (at < 0) return;
  streams?.splice(at, 1);
  doneWith(stream.owner);
}

/**
 * The source of a stream resolved without a value. If it failed, or items are out already, that is the end of the
 * stream; otherwise there is no stream, and its collectors resolve as the source did.
 */
export function settleStream(run: RunState, context: Context, slot: SlotPlan, state: number, value: unknown): void {
  const known = findStream(context, slot.stream);
  const stream = state === Resolution.failed ? (known ?? openStream(run, context, slot, null)) : known;
  if (stream !== undefined) {
    streamEnded(stream, isBroken(state) ? (value as Failure) : null);
    return;
  }
  const { plan } = run.program;
  for (const id of (plan.streams[slot.stream] as StreamPlan).collectors) {
    const collector = plan.slots[id] as SlotPlan;
    if (!isResolved(context.states[collector.local] as number)) resolve(context, collector, state, value);
  }
}
