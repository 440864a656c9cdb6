/**
 * Cells (rule 8): run-level values that `push` folds into, in the order of R2.
 *
 * They are never journaled: replay folds the same pushes in the same order.
 */
import { deepFreeze } from "../base/freeze.ts";
import type { SlotPlan } from "../model/plan.ts";
import { CellState } from "../state/cell.ts";
import type { Context } from "../state/context.ts";
import { addressOf } from "../state/path.ts";
import { Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { edgeFailed, thrownFailure } from "./failures.ts";
import { resolve } from "./queue.ts";

function cellOf(run: RunState, cell: number): CellState {
  run.cells ??= run.program.plan.cells.map((plan) => new CellState(plan, run.thread?.carried ?? run.carried));
  return run.cells[cell] as CellState;
}

/** The patch of a fork: what it holds from now on. */
export function setCell(run: RunState, cell: number, value: unknown): void {
  deepFreeze(value);
  cellOf(run, cell).overwrite(value);
}

function note(run: RunState, context: Context, slot: SlotPlan): void {
  if (run.trail !== null) run.trail.push({ slot: slot.id, at: addressOf(context) });
}

export function readyPush(run: RunState, context: Context, slot: SlotPlan): void {
  note(run, context, slot);
  let update: unknown;
  try {
    update = run.program.readers[slot.id]!(context);
  } catch (thrown) {
    resolve(context, slot, Resolution.failed, edgeFailed(run, context, slot, thrown));
    return;
  }
  try {
    if (run.journaled) deepFreeze(update);
    if (slot.overwrites) cellOf(run, slot.cell).overwrite(update);
    else cellOf(run, slot.cell).fold(update);
  } catch (thrown) {
    resolve(context, slot, Resolution.failed, thrownFailure(run, context, slot, "ReducerFailed", thrown, update));
    return;
  }
  resolve(context, slot, Resolution.value, undefined);
}

export function readyRead(run: RunState, context: Context, slot: SlotPlan): void {
  note(run, context, slot);
  try {
    resolve(context, slot, Resolution.value, cellOf(run, slot.cell).read());
  } catch (thrown) {
    resolve(context, slot, Resolution.failed, thrownFailure(run, context, slot, "ReducerFailed", thrown, undefined));
  }
}
