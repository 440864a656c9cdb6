/**
 * Streams in the items of a stream that leaves a block. Each has a relay of its own, from the first item that sets out for
 * it; once the item around it is out (forward.ts, T5), what arrives goes to the stream in that one.
 */
import type { CollectPlan, FeedPlan, SlotPlan } from "../model/plan.ts";
import { SlotKind } from "../model/plan.ts";
import type { CollectState } from "../state/collect.ts";
import type { Context } from "../state/context.ts";
import type { Failure } from "../state/failure.ts";
import { Relay } from "../state/forward.ts";
import { isBroken, Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import type { StreamInstance } from "../state/stream.ts";
import { closeForward, openForward } from "./open-forward.ts";

/** By item, what goes out of the streams in the items of the stream that `item` is of. `outer`: the feed of that one. */
function relaysBeside({ stream }: Context, outer: SlotPlan): Map<number, Relay> {
  const { collects } = stream as StreamInstance;
  const collect = collects[(outer.collect as CollectPlan).index] as CollectState;
  return (collect.relays ??= new Map());
}

/** The relay of the stream in `item` that `feed` passes on, if anything has set out for it. */
export function relayIn(run: RunState, item: Context, feed: FeedPlan): Relay | undefined {
  return relaysBeside(item, run.program.plan.slots[feed.outer] as SlotPlan).get(item.index);
}

export function addRelay(run: RunState, item: Context, feed: FeedPlan): Relay {
  const relay = new Relay(feed.to, item);
  relaysBeside(item, run.program.plan.slots[feed.outer] as SlotPlan).set(item.index, relay);
  return relay;
}

export function forgetRelay(run: RunState, item: Context, feed: FeedPlan): void {
  relaysBeside(item, run.program.plan.slots[feed.outer] as SlotPlan).delete(item.index);
}

/** It has something to do now, if its item is out. Null when nothing goes out of it any more. */
export function wakeRelay(run: RunState, relay: Relay): Relay | null {
  const { at } = relay;
  if (relay.gone) return null;
  if (at === null) return relay;
  if (at.closed || at.abandoned) return null;
  return openForward(at, run.program.plan.slots[relay.slot] as SlotPlan) === null ? null : relay;
}

export function endRelay(run: RunState, relay: Relay): void {
  relay.ended = true;
  wakeRelay(run, relay);
}

/** Its stream failed or was swept: what is on its way still goes out. */
export function breakRelay(run: RunState, relay: Relay, state: number, value: unknown): void {
  const failure = isBroken(state) ? (value as Failure) : failureAround(run, relay);
  const { at } = relay;
  if (failure === null) endRelay(run, relay);
  else if (at === null) relay.failure = failure;
  else if (!at.closed && !at.abandoned)
    closeForward(at, run.program.plan.slots[relay.slot] as SlotPlan, Resolution.skipped, failure);
}

/** Swept with a body that failed: the streams that leave that end as failed, and so do those in their items. */
function failureAround({ program }: RunState, { at }: Relay): Failure | null {
  for (let item = at; item !== null && item.stream !== null; item = item.stream.owner) {
    const source = program.plan.slots[item.stream.plan.source] as SlotPlan;
    if (source.kind !== SlotKind.forward || source.zip !== null) return null;
    const { owner } = item.stream;
    if (isBroken(owner.states[source.local] as number)) return owner.values[source.local] as Failure;
  }
  return null;
}
