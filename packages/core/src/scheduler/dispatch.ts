/**
 * From ready to running, and back.
 *
 * D1  A ready op in an item goes through its lane; in the run scope it is dispatched at once. Permits are the runtime's.
 * D2  Its input is captured at dispatch and never read again.
 * D3  An invocation is counted in `context.open` from ready to resolved, and in `run.inFlight` from dispatch to answer.
 */
import type { SlotPlan } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import { itemOf } from "../state/lane.ts";
import { Pending, Todo } from "../state/pending.ts";
import type { Reader } from "../state/program.ts";
import { Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { Flag } from "../state/tables.ts";
import { work } from "../state/work.ts";
import { edgeFailed } from "./failures.ts";
import { laneOf } from "../state/lane.ts";
import { admitNext, enterLane, hasRoom } from "./policies/lane.ts";
import { doneWith, emit, markReady, resolve } from "./queue.ts";

export function readyOp(run: RunState, context: Context, id: number): void {
  const flags = run.tables.flags[id] as number;
  if ((flags & Flag.lane) !== 0) {
    readyInLane(run, context, run.program.slots[id] as SlotPlan);
    return;
  }
  expect(run, context, id);
  dispatch(run, context, id);
}

/**
 * With an empty queue the turn of an op in a lane would be the next: it is now, where that turn is all it takes. One that
 * fails on its input, or that `ordered` admits, takes a second turn, which is behind whatever is yet to become ready.
 */
export function readyAtOnce(run: RunState, context: Context, id: number): void {
  const slot = run.program.slots[id] as SlotPlan;
  const input = !slot.ordered && hasRoom(laneOf(context, slot), slot) ? tryRead(run, context, id) : undefined;
  if (slot.ordered || input === unreadable) {
    work.push(context, ~id);
    return;
  }
  expect(run, context, id);
  if (enterLane(context, slot)) start(run, context, id, input);
}

/** D1: the first time it enters the lane; when it is admitted it comes here again. */
function readyInLane(run: RunState, context: Context, slot: SlotPlan): void {
  if (context.states[slot.local] === Resolution.admitted) {
    dispatch(run, context, slot.id);
    return;
  }
  expect(run, context, slot.id);
  if (enterLane(context, slot)) startAdmitted(run, context, slot.id);
}

/** Whether an unsafe op was dispatched makes a difference to who sweeps it: it waits for its turn in the queue. */
function startAdmitted(run: RunState, context: Context, id: number): void {
  const takesTurn = ((run.tables.flags[id] as number) & Flag.unsafe) !== 0;
  const input = takesTurn ? unreadable : tryRead(run, context, id);
  if (input === unreadable) work.push(context, ~id);
  else start(run, context, id, input);
}

/** D3 */
function expect(run: RunState, context: Context, id: number): void {
  context.open++;
  if (run.probe !== null) run.probe.expected(context, id);
}

/** D2: captures the input and hands the invocation to the runtime. */
function dispatch(run: RunState, context: Context, id: number): void {
  let input: unknown;
  try {
    input = (run.program.readers[id] as Reader)(context);
  } catch (thrown) {
    const slot = run.program.slots[id] as SlotPlan;
    resolve(context, slot, Resolution.skipped, edgeFailed(run, context, slot, thrown));
    leave(run, context, slot, run.tables.flags[id] as number);
    return;
  }
  start(run, context, id, input);
}

export const unreadable: unique symbol = Symbol("unreadable");

/** A failing input goes to the queue and fails in its turn: failures are recorded in the order of the queue (R2). */
export function tryRead(run: RunState, context: Context, id: number): unknown {
  try {
    return (run.program.readers[id] as Reader)(context);
  } catch {
    return unreadable;
  }
}

/** For an op that needs no lane: without a turn through the queue, as long as that makes no difference. */
export function dispatchAtOnce(run: RunState, context: Context, id: number): void {
  const input = tryRead(run, context, id);
  if (input === unreadable) {
    work.push(context, ~id);
    return;
  }
  expect(run, context, id);
  start(run, context, id, input);
}

function start(run: RunState, context: Context, id: number, input: unknown): void {
  emit(run, invoke(run, context, id, input), Todo.start);
}

/** Dispatches, and leaves it to the caller to hand the invocation to the runtime. */
export function invoke(run: RunState, context: Context, id: number, input: unknown): Pending {
  const { tables } = run;
  const { slots } = run.program;
  const local = tables.locals[id] as number;
  const pending = new Pending(context, slots[id] as SlotPlan, id, local, tables.flags[id] as number, input);
  if (context.block === null) context.started = true;
  // What is dispatched in an arm counts for the item around it, and where no item is around, for nobody.
  else if ((pending.flags & (Flag.lane | Flag.waits)) !== 0) itemOf(context).started = true;
  context.states[local] = Resolution.running;
  context.values[local] = pending;
  run.inFlight++;
  return pending;
}

/** The invocation is over: its lane goes to the next item, and its context may close. */
export function leave(run: RunState, context: Context, slot: SlotPlan, flags: number): void {
  if ((flags & Flag.lane) !== 0) leaveLane(run, context, slot);
  doneWith(context);
}

/** With an empty queue the turn of the item that is let in would be the next: it is now. */
function leaveLane(run: RunState, context: Context, slot: SlotPlan): void {
  const lane = laneOf(context, slot);
  lane.running--;
  for (let next = admitNext(lane, slot); next !== null; next = admitNext(lane, slot)) {
    if (work.size === 0) startAdmitted(run, next, slot.id);
    else markReady(next, slot);
  }
}
