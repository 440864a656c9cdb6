/**
 * Streams whose items come from items of other streams: out of the arms of blocks, and by `zip`.
 *
 * T2  An item goes on when the stream it goes to has credit (S1).
 * T3  A forwarded stream ends when everything that was on its way has gone out.
 * T4  What makes items that have nowhere to go is stopped, if nothing else is done with them (unread.ts).
 * T5  An item with a stream in it goes on with the first item of that, or with its end; the rest follows live. It has a
 *     stream from then on, so that `dropOldest` does not take it.
 */
import type { SlotPlan } from "../model/plan.ts";
import { findBlock } from "../state/block.ts";
import type { Context } from "../state/context.ts";
import type { Failure } from "../state/failure.ts";
import { Uneven, type Forward, type Relay } from "../state/forward.ts";
import { isResolved, Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { hasCredit, type StreamInstance } from "../state/stream.ts";
import { ownError, recordFailure } from "./failures.ts";
import { closeForward, letClose } from "./open-forward.ts";
import { dropOldest } from "./policies/drop-oldest.ts";
import { markReady, resolve } from "./queue.ts";
import { findStream, openItem, openStream, streamEnded } from "./streams.ts";
import { stopParts } from "./unread.ts";

/** Something arrived, or nothing more will. */
export function readyForward(run: RunState, context: Context, slot: SlotPlan): void {
  const forward = context.values[slot.local] as Forward;
  let stream = findStream(context, slot.stream);
  if (stream === undefined) {
    stream = openStream(run, context, slot, null);
    stream.forward = forward;
  }
  passOn(run, stream);
}

/** T2. An item makes room for one that is there, and for no other. */
export function passOn(run: RunState, stream: StreamInstance): void {
  const { forward } = stream;
  if (forward === null || stream.ended) return;
  while (forward.hasNext()) {
    if (!hasCredit(stream) && !dropOldest(run, stream)) return;
    if (stream.yielded === 0) noteGiven(run, stream);
    const parcel = forward.take();
    const item = openItem(run, stream, parcel.value, parcel.state);
    letClose(parcel);
    if (parcel.inner !== null) attach(run, item, parcel.inner);
  }
  endIfOver(run, stream, forward);
}

/** The first item is out: a fallback that it comes from cannot take over any more. */
function noteGiven(run: RunState, { owner, plan }: StreamInstance): void {
  const { fedBy, zip } = run.program.plan.slots[plan.source] as SlotPlan;
  const block = zip === null ? findBlock(owner, fedBy?.at(-1) ?? -1) : undefined;
  if (block !== undefined) block.gave = true;
}

/** T5: what arrived in the stream of the item meanwhile goes out behind it. */
function attach(run: RunState, item: Context, relay: Relay): void {
  const slot = run.program.plan.slots[relay.slot] as SlotPlan;
  relay.at = item;
  item.states[slot.local] = Resolution.open;
  item.values[slot.local] = relay;
  openStream(run, item, slot, null).forward = relay;
  if (relay.failure === null) markReady(item, slot);
  else closeForward(item, slot, Resolution.skipped, relay.failure);
}

/** T3: nothing of it waits for credit. */
function endIfOver(run: RunState, stream: StreamInstance, forward: Forward): void {
  const slot = run.program.plan.slots[stream.plan.source] as SlotPlan;
  if (stream.failing !== null) {
    streamEnded(run, stream, stream.failing);
    return;
  }
  const over = forward.over(slot.zip?.uneven === "stop");
  if (over === null) return;
  const { owner } = stream;
  const isUneven = over instanceof Uneven;
  const failure = isUneven ? uneven(run, owner, slot, over) : over === "even" ? null : over;
  const broken = isUneven ? Resolution.failed : Resolution.skipped;
  if (!isResolved(owner.states[slot.local] as number))
    resolve(owner, slot, failure === null ? Resolution.value : broken, failure ?? undefined);
  streamEnded(run, stream, failure);
  if (slot.zip !== null) stopParts(run, owner, slot);
}

/** Reported where the shorter one is made. */
function uneven(run: RunState, owner: Context, slot: SlotPlan, { shorter, lengths }: Uneven): Failure {
  const { slots, streams } = run.program.plan;
  const feeds = (slot.fedBy as readonly number[]).map((id) => slots[id] as SlotPlan);
  const names = feeds.map(({ collect }) => `"${streams[collect?.stream ?? 0]?.segment ?? ""}"`);
  const count = lengths[shorter] ?? 0;
  const others = names.flatMap((name, part) => {
    const length = lengths[part] ?? null;
    return part === shorter ? [] : [length === null ? `${name} went on` : `${name} has ${length}`];
  });
  const ended = `${names[shorter] ?? ""} ended after ${count} ${count === 1 ? "item" : "items"}`;
  const zip = streams[slot.stream]?.segment ?? "";
  const error = ownError("UnevenZip", { zip, lengths: [ended, ...others].join(", ") });
  return recordFailure(run, owner, slot, error, 1, undefined, { source: slots[feeds[shorter]?.anchor ?? slot.anchor] });
}

/** The source of a forwarded stream failed: what is on its way still goes out. */
export function failForwarded(run: RunState, stream: StreamInstance, failure: Failure): void {
  stream.failing ??= failure;
  passOn(run, stream);
}
