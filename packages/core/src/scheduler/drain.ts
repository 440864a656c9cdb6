/**
 * Takes everything out of the queue of a step.
 *
 * R2  A resolution reaches the slot's consumers in plan order, then the contexts further in that wait for it in the
 *     order they began to wait, then its collectors in plan order.
 * R4  Contexts close when the queue is empty, so that nothing closes while something may still open in it.
 */
import type { SlotPlan } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import { isBroken, Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { work } from "../state/work.ts";
import { closeFinished } from "./close.ts";
import { gather } from "./collectors.ts";
import { reportBoundaries } from "./failures.ts";
import { notify, notifyWaiters } from "./notify.ts";
import { laneOf } from "../state/lane.ts";
import { admitQueued } from "./policies/lane.ts";
import { nextInOrder } from "./policies/ordered.ts";
import { onReady } from "./ready.ts";
import { settleStream } from "./streams.ts";

export function drain(run: RunState): void {
  try {
    do drainQueue(run);
    while (closeFinished(run));
  } catch (bug) {
    // Runs of a thread share the queue: what a broken step left in it must not reach another run.
    work.clear();
    throw bug;
  }
}

function drainQueue(run: RunState): void {
  const { slots } = run.program.plan;
  for (let at = 0; at < work.size; at++) {
    const context = work.contexts[at] as Context;
    const code = work.codes[at] as number;
    if (code < 0) readySlot(run, context, slots[~code] as SlotPlan);
    else spread(run, context, slots[code] as SlotPlan);
  }
  work.reset();
}

/** An item may have been dropped between ready and here. */
function readySlot(run: RunState, context: Context, slot: SlotPlan): void {
  const state = context.states[slot.local];
  if (state === 0 || state === Resolution.admitted) onReady(run, context, slot);
}

function spread(run: RunState, context: Context, slot: SlotPlan): void {
  const state = context.states[slot.local] as number;
  const value = context.values[slot.local];
  if (state !== Resolution.value) spreadBreak(run, context, slot, state, value);
  const { consumers, watchers } = slot;
  for (let i = 0; i < consumers.length; i++) {
    const consumer = consumers[i] as number;
    notify(run, context, consumer >> 1, (consumer & 1) === 1, state, value);
  }
  if (context.waiters !== null) spreadInward(run, context, slot, state, value);
  for (let i = 0; i < watchers.length; i++) gather(run, context, watchers[i] as number, state, value);
  if (run.probe !== null && slot.name !== "") run.probe.resolved(context, slot.id, state, value);
}

/** What only matters when there is no value. */
function spreadBreak(run: RunState, context: Context, slot: SlotPlan, state: number, value: unknown): void {
  if (slot.stream >= 0) settleStream(run, context, slot, state, value);
  if (slot.ordered) {
    const lane = laneOf(context, slot);
    nextInOrder(lane, context.index, null);
    admitQueued(lane, slot);
  }
  if (slot.boundaries.length > 0 && isBroken(state)) reportBoundaries(run, context, slot, value);
}

function spreadInward(run: RunState, context: Context, slot: SlotPlan, state: number, value: unknown): void {
  const waiters = context.waiters?.get(slot.local);
  if (waiters === undefined) return;
  context.waiters?.delete(slot.local);
  notifyWaiters(run, waiters, state, value);
}
