/**
 * From ready to running, and back.
 *
 * D1  A ready op in an item goes through its lane; in the run scope it is dispatched at once. Permits are the runtime's.
 * D2  Its input is captured at dispatch and never read again.
 * D3  An invocation is counted in `context.open` from ready to resolved, and in `run.inFlight` from dispatch to answer.
 */
import type { SlotPlan } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import { Pending, Todo } from "../state/pending.ts";
import type { Reader } from "../state/program.ts";
import { Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { edgeFailed } from "./failures.ts";
import { enterLane, leaveLane } from "./policies/lane.ts";
import { doneWith, emit, resolve } from "./queue.ts";

export function readyOp(run: RunState, context: Context, slot: SlotPlan): void {
  const state = context.states[slot.local] as number;
  if (state === Resolution.admitted) {
    dispatch(run, context, slot);
    return;
  }
  context.open++;
  if (run.probe !== null) run.probe.expected(context, slot.id);
  if (slot.lane < 0) dispatch(run, context, slot);
  else enterLane(context, slot);
}

/** D2: captures the input and hands the invocation to the runtime. */
function dispatch(run: RunState, context: Context, slot: SlotPlan): void {
  let input: unknown;
  try {
    input = (run.program.readers[slot.id] as Reader)(context);
  } catch (thrown) {
    finish(context, slot, Resolution.skipped, edgeFailed(run, context, slot, thrown));
    return;
  }
  const pending = new Pending(context, slot, input);
  context.started = true;
  context.states[slot.local] = Resolution.running;
  context.values[slot.local] = pending;
  run.inFlight++;
  emit(run, pending, Todo.start);
}

/** The invocation is over: resolves the slot, frees its lane, and lets its context close. */
export function finish(context: Context, slot: SlotPlan, state: number, value: unknown): void {
  resolve(context, slot, state, value);
  if (slot.lane >= 0) leaveLane(context, slot);
  doneWith(context);
}
