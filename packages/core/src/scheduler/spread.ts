/**
 * What a resolution reaches.
 *
 * R2  A resolution reaches the slot's consumers in plan order, then the contexts further in that wait for it in the
 *     order they began to wait, then its collectors in plan order.
 */
import type { SlotPlan } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import { isBroken, Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { Flag } from "../state/tables.ts";
import { giveOn } from "./blocks/choose.ts";
import { blockBroke } from "./blocks/contexts.ts";
import { armResolved } from "./blocks/race.ts";
import { gather } from "./collectors.ts";
import { reportBoundaries } from "./failures.ts";
import { notify, notifyWaiters } from "./notify.ts";
import { itemOf, laneOf } from "../state/lane.ts";
import { admitQueued } from "./policies/lane.ts";
import { nextInOrder } from "./policies/ordered.ts";
import { feedBroke } from "./feeds.ts";
import { settleStream } from "./settle.ts";

/** R2 */
export function spread(run: RunState, context: Context, id: number): void {
  const { flags, locals, starts, consumers } = run.tables;
  const local = locals[id] as number;
  const flag = flags[id] as number;
  const state = context.states[local] as number;
  const value = context.values[local];
  if (state !== Resolution.value && (flag & Flag.breaks) !== 0) spreadBreak(run, context, id, state, value);
  const end = starts[id + 1] as number;
  for (let i = starts[id] as number; i < end; i++) {
    const consumer = consumers[i] as number;
    notify(run, context, consumer >> 1, (consumer & 1) === 1, state, value);
  }
  if (context.waiters !== null) spreadInward(run, context, id, state, value);
  if ((flag & Flag.watched) !== 0) spreadToCollectors(run, context, id, state, value);
  if (run.probe !== null && (flag & Flag.named) !== 0) run.probe.resolved(context, id, state, value);
}

function spreadToCollectors(run: RunState, context: Context, id: number, state: number, value: unknown): void {
  const watchers = run.program.watchers[id] as readonly SlotPlan[];
  for (let i = 0; i < watchers.length; i++) {
    const slot = watchers[i] as SlotPlan;
    if (slot.collect !== null) gather(run, context, slot, state, value);
    else if (slot.arms !== null) giveOn(context, slot, state, value);
    else armResolved(run, context, slot, state, value);
  }
}

/** What only matters when there is no value. */
function spreadBreak(run: RunState, context: Context, id: number, state: number, value: unknown): void {
  const slot = run.program.slots[id] as SlotPlan;
  if (slot.stream >= 0) settleStream(run, context, slot, state, value);
  if (slot.ordered) {
    const lane = laneOf(context, slot);
    nextInOrder(lane, itemOf(context).index, null);
    admitQueued(lane, slot);
  }
  if (slot.feed !== null) feedBroke(run, context, slot, state, value);
  if (slot.block !== null) blockBroke(run, context, slot, state, value);
  if (slot.boundaries.length > 0 && isBroken(state)) reportBoundaries(run, context, slot, value);
}

function spreadInward(run: RunState, context: Context, id: number, state: number, value: unknown): void {
  const waiters = context.waiters?.get(id);
  if (waiters === undefined) return;
  context.waiters?.delete(id);
  notifyWaiters(run, waiters, state, value);
}
