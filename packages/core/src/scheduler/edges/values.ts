/** Edges that make one value of others, synchronously and purely (rule 9). */
import { deepFreeze } from "../../base/freeze.ts";
import { syncOnly } from "../../base/sync-only.ts";
import type { SlotPlan } from "../../model/plan.ts";
import type { Context } from "../../state/context.ts";
import { Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import { edgeFailed } from "../failures.ts";
import { resolve } from "../queue.ts";

export function readyRecord(run: RunState, context: Context, slot: SlotPlan): void {
  keep(run, context, slot, (input) => input);
}

export function readyDerive(run: RunState, context: Context, slot: SlotPlan): void {
  const fn = slot.fn as (input: unknown) => unknown;
  keep(run, context, slot, (input) => syncOnly(fn(run.journaled ? frozen(input) : input), "an edge function"));
}

export function readyOrElse(run: RunState, context: Context, slot: SlotPlan): void {
  keep(run, context, slot, (input) => (input as unknown[])[0] ?? (input as unknown[])[1]);
}

export function readyFilter(run: RunState, context: Context, slot: SlotPlan): void {
  gate(run, context, slot, (input) => input[1] === true);
}

export function readyPresent(run: RunState, context: Context, slot: SlotPlan): void {
  gate(run, context, slot, (input) => input[0] !== null && input[0] !== undefined);
}

function frozen(input: unknown): unknown {
  deepFreeze(input);
  return input;
}

function keep(run: RunState, context: Context, slot: SlotPlan, of: (input: unknown) => unknown): void {
  let value: unknown;
  try {
    value = of(run.program.readers[slot.id]!(context));
  } catch (thrown) {
    resolve(context, slot, Resolution.failed, edgeFailed(run, context, slot, thrown));
    return;
  }
  resolve(context, slot, Resolution.value, value);
}

function gate(run: RunState, context: Context, slot: SlotPlan, open: (input: readonly unknown[]) => boolean): void {
  let input: readonly unknown[];
  try {
    input = run.program.readers[slot.id]!(context) as readonly unknown[];
  } catch (thrown) {
    resolve(context, slot, Resolution.failed, edgeFailed(run, context, slot, thrown));
    return;
  }
  if (open(input)) resolve(context, slot, Resolution.value, input[0]);
  else resolve(context, slot, Resolution.absent, undefined);
}
