import { deepFreeze } from "../../base/freeze.ts";
import type { SlotPlan } from "../../model/plan.ts";
import type { Context } from "../../state/context.ts";
import { Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import { edgeFailed } from "../failures.ts";
import { resolve } from "../queue.ts";

/** `emit`: tells whoever follows the run, and goes on. */
export function readyEmit(run: RunState, context: Context, slot: SlotPlan): void {
  let value: unknown;
  try {
    value = run.program.readers[slot.id]!(context);
  } catch (thrown) {
    resolve(context, slot, Resolution.failed, edgeFailed(run, context, slot, thrown));
    return;
  }
  if (run.journaled) deepFreeze(value);
  if (run.probe !== null) run.probe.emitted(context, slot.id, value);
  resolve(context, slot, Resolution.value, undefined);
}
