/**
 * Takes everything out of the queue of a step.
 *
 * R4  Contexts close when the queue is empty, so that nothing closes while something may still open in it.
 */
import type { SlotPlan } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import { Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { Flag } from "../state/tables.ts";
import { work } from "../state/work.ts";
import { closeFinished } from "./close.ts";
import { readyOp } from "./dispatch.ts";
import { onReady } from "./ready.ts";
import { spread } from "./spread.ts";

export function drain(run: RunState): void {
  try {
    do if (work.size > 0) drainQueue(run);
    while (closeFinished(run));
  } catch (bug) {
    // Runs of a thread share the queue: what a broken step left in it must not reach another run.
    work.clear();
    throw bug;
  }
}

function drainQueue(run: RunState): void {
  for (let at = 0; at < work.size; at++) {
    const context = work.contexts[at] as Context;
    const code = work.codes[at] as number;
    if (code < 0) readySlot(run, context, ~code);
    else spread(run, context, code);
  }
  work.reset();
}

/** An item may have been dropped, or swept, between ready and here. `open`: a fallback caught a failure. */
function readySlot(run: RunState, context: Context, id: number): void {
  const { flags, locals } = run.tables;
  const state = context.states[locals[id] as number];
  if (state !== 0 && state !== Resolution.admitted && state !== Resolution.open) return;
  // Most are ops: they need neither their slot nor the table of handlers.
  if (((flags[id] as number) & Flag.op) !== 0) readyOp(run, context, id);
  else onReady(run, context, run.program.slots[id] as SlotPlan);
}
