/** How a run ends: its root closed, it stalled, a failure was raised, or it was cancelled (E3). */
import type { ErrorEntry } from "../events/record.ts";
import type { SlotPlan } from "../model/plan.ts";
import { FailureLog } from "../state/failure.ts";
import type { Context } from "../state/context.ts";
import { isBroken, Resolution } from "../state/resolution.ts";
import type { EndStatus, RunEnd, RunState } from "../state/run-state.ts";
import type { AttemptError } from "./event.ts";
import { openContexts } from "../state/walk.ts";
import { work } from "../state/work.ts";
import { finalize } from "./finalizers.ts";
import { stalled } from "./failures.ts";

/** The run ends, once its finalizers are through. */
export function endRun(run: RunState, status: EndStatus, output: unknown): void {
  if (!finalize(run, status, output)) endNow(run, status, output);
}

function endNow(run: RunState, status: EndStatus, output: unknown): void {
  run.end = { status, output, errors: run.failures?.list() ?? [], reason: run.cancelReason ?? "" };
}

/** The run came to its end, and its output cannot be kept. */
export function endWithout(run: RunState, end: RunEnd, error: AttemptError): RunEnd {
  return { ...end, status: "failed", output: undefined, errors: [...end.errors, entryOfRun(run, error)] };
}

/** Why the engine ends it, among its failures. */
export function noteStopped(run: RunState, error: AttemptError): void {
  (run.failures ??= new FailureLog()).addOfRun(entryOfRun(run, error));
}

function entryOfRun({ program: { plan } }: RunState, { code, type, message }: AttemptError): ErrorEntry {
  return { node: plan.name, path: plan.name, code, type, message, attempts: 1, count: 1, handled: false };
}

export function endWhenDone(run: RunState): void {
  if (run.end !== null) return;
  if (run.ending !== null) endAfterFinalizers(run, run.ending);
  else if (run.raised !== null) endRun(run, "failed", undefined);
  else if (run.root.closed) endWithOutput(run);
  else if (run.inFlight === 0) stall(run);
}

function endAfterFinalizers(run: RunState, { status, output }: NonNullable<RunState["ending"]>): void {
  if (run.root.closed || run.inFlight === 0) endNow(run, status, output);
}

function endWithOutput(run: RunState): void {
  const { plan } = run.program;
  const output = plan.slots[plan.output] as SlotPlan;
  const state = run.root.states[output.local] as number;
  if (state >= 0) stall(run);
  else if (isBroken(state)) endRun(run, "failed", undefined);
  else endRun(run, "completed", state === Resolution.value ? run.root.values[output.local] : undefined);
}

/** K2: nothing can happen any more and the root is open. Never silent: what waits is named. */
function stall(run: RunState): void {
  for (const [context, slot] of unresolved(run)) stalled(run, context, slot);
  // A fallback may have caught one of them; the run is over all the same, and the queue is empty after a step (E2).
  work.clear();
  endRun(run, "failed", undefined);
}

function unresolved(run: RunState): [Context, SlotPlan][] {
  const found: [Context, SlotPlan][] = [];
  const edges: [Context, SlotPlan][] = [];
  for (const context of openContexts(run.root)) {
    context.states.forEach((state, local) => {
      const slot = run.program.plan.slots[context.scope.slots[local] as number] as SlotPlan;
      if (state >= 0) (slot.name === "" ? edges : found).push([context, slot]);
    });
  }
  return found.length > 0 ? found : edges.slice(0, 1);
}
