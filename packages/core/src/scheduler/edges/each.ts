import type { SlotPlan } from "../../model/plan.ts";
import { errorOf, type MillraceError } from "../../base/error.ts";
import type { Context } from "../../state/context.ts";
import { Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import { edgeFailed } from "../failures.ts";
import { refill } from "../policies/credit.ts";
import { resolve } from "../queue.ts";
import { openStream } from "../streams.ts";

/** `each`: the elements of a list become the items of a stream. */
export function readyEach(run: RunState, context: Context, slot: SlotPlan): void {
  let list: unknown;
  try {
    list = run.program.readers[slot.id]!(context);
    if (!Array.isArray(list)) throw notAList(run, slot, list);
  } catch (thrown) {
    resolve(context, slot, Resolution.failed, edgeFailed(run, context, slot, thrown));
    return;
  }
  resolve(context, slot, Resolution.value, undefined);
  refill(run, openStream(run, context, slot, list as readonly unknown[]));
}

function notAList(run: RunState, slot: SlotPlan, value: unknown): MillraceError {
  const { segment } = run.program.plan.streams[slot.stream]!;
  return errorOf("EdgeFailed.list", { list: segment, is: value === null ? "null" : typeof value });
}
