/** `race`: the first arm that has a value wins, the others are swept. It fails when no arm is left (rule 6). */
import type { SlotPlan } from "../../model/plan.ts";
import type { BlockInstance } from "../../state/block.ts";
import { findBlock } from "../../state/block.ts";
import type { Context } from "../../state/context.ts";
import type { Failure } from "../../state/failure.ts";
import { isBroken, Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import { abandon } from "../abandon.ts";
import { decide } from "../decisions.ts";
import { ownError, recordFailure } from "../failures.ts";
import { resolve } from "../queue.ts";
import { closeBlock, openArm, openBlock } from "./contexts.ts";

export function readyRace(run: RunState, context: Context, slot: SlotPlan): void {
  const block = openBlock(context, slot);
  context.states[slot.local] = Resolution.open;
  context.values[slot.local] = block;
  for (let arm = 0; arm < block.plan.scopes.length; arm++) openArm(run, block, arm);
}

/** What an arm returned resolved. */
export function armResolved(run: RunState, arm: Context, slot: SlotPlan, state: number, value: unknown): void {
  const block = findBlock(arm.parent as Context, slot.id);
  if (block === undefined || (block.decided && block.winner !== arm)) return;
  if (state === Resolution.value || state === Resolution.untaken) {
    const wins = !block.decided;
    if (wins) decideRace(run, block, arm);
    resolve(block.owner, slot, Resolution.value, value);
    if (wins) sweepLosers(run, block);
    return;
  }
  if (block.winner === arm) {
    resolve(block.owner, slot, isBroken(state) ? Resolution.skipped : state, value);
    return;
  }
  block.failures ??= [];
  if (isBroken(state)) block.failures.push(value as Failure);
}

/** The arm wins, by a value or by the first item of a stream that leaves it. */
export function decideRace(run: RunState, block: BlockInstance, arm: Context): void {
  block.decided = true;
  block.winner = arm;
  decide(run, block.owner, block.slot, () => arm.scope.arm);
}

export function sweepLosers(run: RunState, block: BlockInstance): void {
  const arm = block.winner;
  for (const other of block.children.filter((child) => child !== arm)) abandon(run, other, Resolution.swept);
}

/** All arms closed and none had a value: absent if none failed either. */
export function armClosed(run: RunState, block: BlockInstance): void {
  if (block.children.length > 0 || block.decided) return;
  const { owner, slot, failures } = block;
  block.decided = true;
  const [first] = failures ?? [];
  if (first === undefined) resolve(owner, slot, Resolution.absent, undefined);
  else resolve(owner, slot, Resolution.failed, allFailed(run, block, failures as Failure[], first));
  closeBlock(run, block);
}

function allFailed(
  run: RunState,
  { owner, slot }: BlockInstance,
  failures: readonly Failure[],
  first: Failure,
): Failure {
  const which = failures.map(({ error }) => `"${error.node}" failed: ${error.message}`).join("; ");
  const error = ownError("RaceFailed", { node: slot.name, failures: which });
  return recordFailure(run, owner, slot, error, 1, undefined, { cause: first });
}
