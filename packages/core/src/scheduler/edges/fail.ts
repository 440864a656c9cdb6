import type { SlotPlan } from "../../model/plan.ts";
import type { Context } from "../../state/context.ts";
import { Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import { edgeFailed, recordFailure } from "../failures.ts";
import { resolve } from "../queue.ts";

/** `fail`: an error that the author raises, with a message and data of the run. */
export function readyFail(run: RunState, context: Context, slot: SlotPlan): void {
  let error: { readonly message?: unknown; readonly data?: unknown };
  try {
    error = run.program.readers[slot.id]!(context) as typeof error;
  } catch (thrown) {
    resolve(context, slot, Resolution.failed, edgeFailed(run, context, slot, thrown));
    return;
  }
  const raised = { code: "Failed", type: "Failed", message: String(error.message), data: error.data };
  resolve(context, slot, Resolution.failed, recordFailure(run, context, slot, raised, 1, undefined));
}
