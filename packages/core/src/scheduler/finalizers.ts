/**
 * Finalizers (rule 12): what a run does at its end, however it ended.
 *
 * Z1  They open once, when the run would end; what is still open of the run is swept before.
 * Z2  The run ends as it was to end then, whatever they come to; their failures are recorded.
 */
import type { SlotPlan } from "../model/plan.ts";
import { findBlock } from "../state/block.ts";
import { Resolution } from "../state/resolution.ts";
import type { EndStatus, RunState } from "../state/run-state.ts";
import { abandon, abandonInside } from "./abandon.ts";
import { closeBlock, openArmWith, openBlock } from "./blocks/contexts.ts";
import { ownError, recordFailure } from "./failures.ts";
import { resolve } from "./queue.ts";

/** Opens them, if there are any and they have not been opened; false when the run may end at once. */
export function finalize(run: RunState, status: EndStatus, output: unknown): boolean {
  const { finalizers, slots } = run.program.plan;
  if (finalizers.length === 0 || run.ending !== null) return false;
  const errors = run.failures?.list() ?? [];
  run.ending = { status, output };
  const { root } = run;
  for (const id of finalizers) root.states[run.tables.locals[id] as number] = Resolution.value;
  abandonInside(run, root, Resolution.swept);
  root.closed = false;
  for (const id of finalizers) {
    const slot = slots[id] as SlotPlan;
    const block = openBlock(root, slot);
    root.states[slot.local] = Resolution.open;
    root.values[slot.local] = block;
    const told = { status, errors, ...(run.cancelReason === null ? {} : { reason: run.cancelReason }) };
    openArmWith(run, block, 0, 0, told);
  }
  return true;
}

/** Its time is over: it fails, if it is not through. */
export function stopFinalizer(run: RunState, id: number): void {
  const block = findBlock(run.root, id);
  if (block === undefined) return;
  const { owner, slot } = block;
  const error = ownError("FinalizerTimeout", { node: slot.name, timeout: slot.block?.timeout ?? 0 });
  resolve(owner, slot, Resolution.failed, recordFailure(run, owner, slot, error, 1, undefined));
  for (const child of Array.from(block.children)) abandon(run, child, Resolution.swept);
  closeBlock(run, block);
}
