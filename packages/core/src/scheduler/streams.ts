/** Streams open, yield items, end, and are done when their last item closed. */
import type { SlotPlan, StreamPlan } from "../model/plan.ts";
import { CollectState } from "../state/collect.ts";
import type { Context } from "../state/context.ts";
import type { Failure } from "../state/failure.ts";
import { itemOf } from "../state/lane.ts";
import type { Pending } from "../state/pending.ts";
import { OpenItems } from "../state/open-items.ts";
import { Region } from "../state/region.ts";
import { Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { StreamInstance } from "../state/stream.ts";
import { Flag } from "../state/tables.ts";
import { fireIfDone } from "./collectors.ts";
import { openItemContext } from "./contexts.ts";
import { discard } from "./open-forward.ts";
import { doneWith } from "./queue.ts";

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
  if (context.parent === null && collects.length > 0) run.gathered = [...(run.gathered ?? []), ...collects];
  context.streams ??= [];
  context.streams.push(stream);
  context.open++;
  // As an op would: an item with a stream in one of its blocks is no longer one that may be dropped.
  if (context.block !== null) itemOf(context).started = true;
  return stream;
}

export function findStream(context: Context, stream: number): StreamInstance | undefined {
  const { streams } = context;
  if (streams === null) return undefined;
  for (let i = 0; i < streams.length; i++) if ((streams[i] as StreamInstance).plan.id === stream) return streams[i];
  return undefined;
}

/** `state`: of the item itself; an item that was passed on may have failed where it comes from. */
export function openItem(
  run: RunState,
  stream: StreamInstance,
  value: unknown,
  state: number = Resolution.value,
): Context {
  const index = stream.yielded++;
  for (let i = 0; i < stream.collects.length; i++) stream.collects[i]!.left++;
  return openItemContext(run, stream, index, value, state);
}

/** A frame of a generator: its stream opens with the first one. */
export function streamOf(run: RunState, producer: Pending): StreamInstance {
  const known = findStream(producer.context, producer.slot.stream);
  if (known !== undefined) return known;
  const stream = openStream(run, producer.context, producer.slot, null);
  stream.producer = producer;
  if ((producer.flags & Flag.ephemeral) !== 0) {
    stream.region = new Region(producer);
    run.openRegions++;
  }
  return stream;
}

/** Z1: what was made of the items is recorded before anybody hears of it. Until then its generator counts as in flight. */
function regionIsThrough(run: RunState, stream: StreamInstance): void {
  if (stream.waiting) run.inFlight++;
  stream.waiting = false;
  (run.regions ??= []).push(stream);
}

/** No more items will come; with `failure` because the source failed. */
export function streamEnded(run: RunState, stream: StreamInstance, failure: Failure | null): void {
  if (stream.ended) return;
  stream.ended = true;
  stream.failure = failure;
  stream.producer = null;
  if (stream.forward !== null) discard(stream.forward.clear());
  for (const collect of stream.collects) fireIfDone(run, stream, collect);
  closeStreamIfDone(run, stream);
}

export function closeStreamIfDone(run: RunState, stream: StreamInstance): void {
  if (!stream.ended || stream.openItems > 0) return;
  if (stream.region !== null) {
    regionIsThrough(run, stream);
    return;
  }
  const { streams } = stream.owner;
  const at = streams?.indexOf(stream) ?? -1;
  if (at < 0) return;
  streams?.splice(at, 1);
  doneWith(stream.owner);
}
