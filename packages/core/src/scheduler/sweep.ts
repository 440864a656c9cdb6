/**
 * `sweep` (rule 7): cancels open contexts from inside the graph.
 *
 * W1  In an item it reaches the earlier items of that stream, and nothing of its own or of later ones.
 * W2  A stream that is swept ends: what its items left so far is what its collectors give, also if that is nothing yet.
 */
import { SlotKind, type SlotPlan, type StreamPlan } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import { itemOf } from "../state/lane.ts";
import { Relay } from "../state/forward.ts";
import type { StreamInstance } from "../state/stream.ts";
import { isResolved, Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { abandon, stopSlot } from "./abandon.ts";
import { decide } from "./decisions.ts";
import { discardIn } from "./ephemeral.ts";
import { edgeFailed } from "./failures.ts";
import { closeForward } from "./open-forward.ts";
import { refill } from "./policies/credit.ts";
import { doneWith, resolve } from "./queue.ts";
import { stopParts } from "./unread.ts";
import { closeStreamIfDone, findStream, openStream, streamEnded } from "./streams.ts";

const KEEP = 0;
const SWEEP = 1;

export function readySweep(run: RunState, context: Context, slot: SlotPlan): void {
  let choice: number;
  try {
    choice = decide(run, context, slot, () => (run.program.readers[slot.id]!(context) === true ? SWEEP : KEEP));
  } catch (thrown) {
    resolve(context, slot, Resolution.failed, edgeFailed(run, context, slot, thrown));
    return;
  }
  resolve(context, slot, Resolution.value, choice === SWEEP ? sweepAll(run, context, slot) : 0);
}

function sweepAll(run: RunState, context: Context, slot: SlotPlan): number {
  let swept = 0;
  for (const base of reached(context)) {
    for (const target of slot.targets as readonly number[]) {
      if (!base.closed) swept += sweepIn(run, base, run.program.plan.slots[target] as SlotPlan);
    }
  }
  return swept;
}

/** W1 */
function reached(context: Context): Context[] {
  const item = itemOf(context);
  if (item.stream === null) return [item];
  const earlier: Context[] = [];
  for (let at = item.stream.first; at !== null && at !== item; at = at.next) earlier.push(at);
  return earlier;
}

/** Everything of the target's stream that is open in `base`; or `base` itself, if the target lives there. */
function sweepIn(run: RunState, base: Context, target: SlotPlan): number {
  const path = scopesBetween(run, base, target);
  const [first] = path;
  if (first === undefined) return sweepItem(run, base);
  const { stream } = run.program.plan.scopes[first]!;
  if (stream >= 0) return sweepStream(run, base, run.program.plan.streams[stream] as StreamPlan);
  let swept = 0;
  for (const block of base.blocks ?? [])
    for (const child of Array.from(block.children)) if (child.scope.id === first) swept += sweepIn(run, child, target);
  return swept;
}

/** Scopes from below that of `base` down to that of the item that `target` is made in. */
function scopesBetween(run: RunState, base: Context, target: SlotPlan): number[] {
  const { scopes } = run.program.plan;
  const path: number[] = [];
  let item = target.scope;
  while (scopes[item]!.stream < 0) item = scopes[item]!.parent;
  for (let at = item; at !== base.scope.id; at = scopes[at]!.parent) path.unshift(at);
  return path;
}

function sweepItem(run: RunState, item: Context): number {
  const { stream } = item;
  if (stream === null) return 0;
  const inside = madeOf(run, item);
  abandon(run, item, Resolution.swept);
  refill(run, stream);
  closeStreamIfDone(run, stream);
  let swept = 1;
  for (const from of inside) if (!from.closed) swept += sweepItem(run, from);
  return swept;
}

/** Items of a stream of streams that left a block: those inside of it whose streams are not over. */
function madeOf(run: RunState, item: Context): Context[] {
  return item.scope.slots.flatMap((id) => itemInside(item, run.program.plan.slots[id] as SlotPlan) ?? []);
}

/** What the stream that `source` passes on comes out of, when that is an item of a stream that leaves a block. */
function itemInside(owner: Context, source: SlotPlan): Context | null {
  if (source.kind !== SlotKind.forward || owner.states[source.local] !== Resolution.open) return null;
  const forward = owner.values[source.local];
  return forward instanceof Relay ? forward.from : null;
}

/** T4: a feed that has nobody to give to; what makes its items is swept. */
export function readyFeed(run: RunState, context: Context, { collect }: SlotPlan): void {
  sweepStream(run, context, run.program.plan.streams[collect?.stream ?? 0] as StreamPlan);
}

/** W2. Its items are told of before its source: collectors that heard of the source first would have none of them. */
function sweepStream(run: RunState, owner: Context, plan: StreamPlan): number {
  const source = run.program.plan.slots[plan.source] as SlotPlan;
  // Z2
  discardIn(run, owner, plan.id);
  const stream = findStream(owner, plan.id) ?? unopened(run, owner, source);
  let swept = 0;
  for (let item = stream?.first ?? null; item !== null;) {
    const { next } = item;
    abandon(run, item, Resolution.swept);
    swept++;
    item = next;
  }
  swept += sweepInside(run, owner, source) + sweepSource(run, owner, source);
  if (source.zip !== null) stopParts(run, owner, source);
  if (stream === null) return swept;
  streamEnded(run, stream, null);
  closeStreamIfDone(run, stream);
  return swept;
}

/**
 * A stream that leaves a block is made inside of it; one in an item of such a stream, in one item there. The parts of a zip
 * are streams of their own: see T4.
 */
function sweepInside(run: RunState, owner: Context, source: SlotPlan): number {
  const { fedBy, zip } = source;
  if (fedBy === null || zip !== null) return 0;
  const { slots } = run.program.plan;
  const isNested = fedBy.some((id) => (slots[id]?.feed?.outer ?? -1) >= 0);
  const base = isNested ? itemInside(owner, source) : owner;
  if (base === null || base.closed) return 0;
  let swept = 0;
  for (const id of fedBy) {
    const { collect, scope } = slots[id] as SlotPlan; // the block, which is among them, has none
    // Of those in other arms, the item comes from none.
    if (collect === null || (isNested && scope !== base.scope.id)) continue;
    swept += sweepIn(run, base, slots[collect.watch] as SlotPlan);
  }
  return swept;
}

/** A stream opens with its first item; one that never gets there ends all the same. */
function unopened(run: RunState, owner: Context, source: SlotPlan): StreamInstance | null {
  if (source.kind === SlotKind.forward || isResolved(owner.states[source.local] as number)) return null;
  return openStream(run, owner, source, null);
}

/** What makes the items, if it has not ended. A forward is no work by itself; what is on its way in it goes nowhere. */
function sweepSource(run: RunState, owner: Context, source: SlotPlan): number {
  const state = owner.states[source.local] as number;
  if (isResolved(state)) return 0;
  // Of a forward only its stream is work of the owner.
  if (state === Resolution.open) {
    closeForward(owner, source, Resolution.swept, undefined);
    return 0;
  }
  stopSlot(run, owner, source, Resolution.swept);
  if (state < 0) doneWith(owner);
  return 1;
}
