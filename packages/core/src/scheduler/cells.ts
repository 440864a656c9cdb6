/**
 * Cells (rule 8): run-level values that `push` folds into, in the order of R2.
 *
 * They are never journaled: replay folds the same pushes in the same order.
 */
import { deepFreeze } from "../base/freeze.ts";
import type { CellPlan, SlotPlan } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import { Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { edgeFailed, thrownFailure } from "./failures.ts";
import { resolve } from "./queue.ts";

export function cellsOf(run: RunState): unknown[] {
  return (run.cells ??= run.program.plan.cells.map((cell) => cell.initial));
}

export function readyPush(run: RunState, context: Context, slot: SlotPlan): void {
  let update: unknown;
  try {
    update = run.program.readers[slot.id]!(context);
  } catch (thrown) {
    resolve(context, slot, Resolution.failed, edgeFailed(run, context, slot, thrown));
    return;
  }
  const cells = cellsOf(run);
  const cell = run.program.plan.cells[slot.cell] as CellPlan;
  if (run.journaled) deepFreeze(update);
  try {
    cells[slot.cell] = cell.reduce(cells[slot.cell], update);
  } catch (thrown) {
    resolve(context, slot, Resolution.failed, thrownFailure(run, context, slot, "ReducerFailed", thrown, update));
    return;
  }
  resolve(context, slot, Resolution.value, undefined);
}

export function readyRead(run: RunState, context: Context, slot: SlotPlan): void {
  resolve(context, slot, Resolution.value, cellsOf(run)[slot.cell]);
}
