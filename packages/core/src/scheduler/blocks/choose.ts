/**
 * `when`, `given`, `match`, `route`: one arm opens. The block itself resolves with the decision; what the arm left goes
 * out slot by slot, as soon as each resolves (rule 1).
 */
import { syncOnly } from "../../base/sync-only.ts";
import { SlotKind, type ArmsPlan, type BlockPlan, type SlotPlan } from "../../model/plan.ts";
import type { Context } from "../../state/context.ts";
import { isBroken, isResolved, Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import { decide } from "../decisions.ts";
import { edgeFailed } from "../failures.ts";
import { closeForward, endForward } from "../open-forward.ts";
import { resolve } from "../queue.ts";
import { openArm, openBlock, resolveThrough } from "./contexts.ts";

export function readyChoose(run: RunState, context: Context, slot: SlotPlan): void {
  const choose = slot.fn as (value: unknown) => number;
  let arm: number;
  try {
    arm = decide(
      run,
      context,
      slot,
      () => syncOnly(choose(run.program.readers[slot.id]!(context)), "the condition of a block") as number,
    );
  } catch (thrown) {
    resolve(context, slot, Resolution.failed, edgeFailed(run, context, slot, thrown));
    return;
  }
  resolve(context, slot, Resolution.value, arm);
  const { scopes, outputs, forwards } = slot.block as BlockPlan;
  for (const id of [...outputs, ...forwards]) {
    const taken = run.program.plan.slots[id] as SlotPlan;
    if (arm < 0 || (taken.arms as ArmsPlan).from[arm] === -1) resolve(context, taken, Resolution.untaken, undefined);
  }
  if (arm >= 0 && scopes[arm] !== undefined) openArm(run, openBlock(context, slot), arm);
  else resolveThrough(run, context, slot, Resolution.value, undefined);
}

/** A slot of the arm resolved that a `taken` gives on. */
export function giveOn(arm: Context, taken: SlotPlan, state: number, value: unknown): void {
  const owner = arm.parent as Context;
  if (isResolved(owner.states[taken.local] as number)) return;
  // A stream out of a race is that of its winner.
  if (arm.block?.slot.kind === SlotKind.race && arm.block.winner !== arm) return;
  if (taken.kind === SlotKind.forward && state === Resolution.value) endForward(owner, taken);
  else closeForward(owner, taken, isBroken(state) ? Resolution.skipped : state, value);
}
