/** Edges that make one value of others, synchronously and purely (rule 9). */
import { deepFreeze } from "../../base/freeze.ts";
import { syncOnly } from "../../base/sync-only.ts";
import { SlotKind, type SlotPlan } from "../../model/plan.ts";
import type { Context } from "../../state/context.ts";
import type { Reader } from "../../state/program.ts";
import { Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import { edgeFailed } from "../failures.ts";
import { resolve } from "../queue.ts";

/** What a function threw before the edge's turn came: it fails in its turn, without calling it again. */
class Thrown {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** Derive, record and orElse. */
export function readyValue(run: RunState, context: Context, slot: SlotPlan): void {
  let value: unknown;
  try {
    const early = context.values[slot.local];
    if (early instanceof Thrown) throw early.error;
    value = valueOf(run, context, slot);
  } catch (thrown) {
    resolve(context, slot, Resolution.failed, edgeFailed(run, context, slot, thrown));
    return;
  }
  resolve(context, slot, Resolution.value, value);
}

/**
 * For a quiet edge that has all it needs: as nobody takes its value, it has it now, without a turn through the queue.
 * False when it takes one all the same: it fails, and failures have their order (R2).
 */
export function keepQuietly(run: RunState, context: Context, id: number): boolean {
  const slot = run.program.slots[id] as SlotPlan;
  try {
    context.values[slot.local] = valueOf(run, context, slot);
  } catch (thrown) {
    context.values[slot.local] = new Thrown(thrown);
    return false;
  }
  context.states[slot.local] = Resolution.value;
  return true;
}

function valueOf(run: RunState, context: Context, slot: SlotPlan): unknown {
  const input = (run.program.readers[slot.id] as Reader)(context);
  if (slot.kind === SlotKind.record) return input;
  if (slot.kind === SlotKind.orElse) return (input as unknown[])[0] ?? (input as unknown[])[1];
  if (run.journaled) deepFreeze(input);
  return syncOnly((slot.fn as (input: unknown) => unknown)(input), "an edge function");
}

export function readyFilter(run: RunState, context: Context, slot: SlotPlan): void {
  gate(run, context, slot, (input) => input[1] === true);
}

export function readyPresent(run: RunState, context: Context, slot: SlotPlan): void {
  gate(run, context, slot, (input) => input[0] !== null && input[0] !== undefined);
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
