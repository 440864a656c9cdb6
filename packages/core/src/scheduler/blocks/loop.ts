/**
 * `loop`: iteration n+1 opens when iteration n closed. Then `until` decides first, and only what is needed next must have
 * a value: the next state, or the result (rule 6).
 */
import type { SlotPlan } from "../../model/plan.ts";
import type { BlockInstance } from "../../state/block.ts";
import type { Context } from "../../state/context.ts";
import { isBroken, Resolution } from "../../state/resolution.ts";
import type { LoopTable } from "../../state/loop-table.ts";
import type { RunState } from "../../state/run-state.ts";
import { work } from "../../state/work.ts";
import { openContext } from "../contexts.ts";
import { decideAs } from "../decisions.ts";
import { edgeFailed, ownError, recordFailure } from "../failures.ts";
import { resolve } from "../queue.ts";
import { spread } from "../spread.ts";
import { newContextOf, openBlock } from "./contexts.ts";

export const CONTINUES = 0;
const ENDS = 1;

export function readyLoop(run: RunState, context: Context, slot: SlotPlan): void {
  let state: unknown;
  try {
    state = run.program.readers[slot.id]!(context);
  } catch (thrown) {
    resolve(context, slot, Resolution.failed, edgeFailed(run, context, slot, thrown));
    return;
  }
  const block = openBlock(context, slot);
  context.states[slot.local] = Resolution.open;
  context.values[slot.local] = block;
  openIteration(run, block, 0, state);
}

/** B2 */
function openIteration(run: RunState, block: BlockInstance, index: number, state: unknown): void {
  const { given, scope, simple } = run.program.loops[block.slot.id] as LoopTable;
  const iteration = newContextOf(run, block, scope, index);
  if (!simple || work.size > 0) {
    resolve(iteration, given, Resolution.value, state);
    openContext(run, iteration);
    return;
  }
  // With an empty queue the state would be the next to spread: it does now.
  iteration.states[given.local] = Resolution.value;
  iteration.values[given.local] = state;
  spread(run, iteration, given.id);
  if (iteration.open === 0) work.closing.push(iteration);
}

export function iterationClosed(run: RunState, block: BlockInstance, iteration: Context): void {
  const { until, next, result } = run.program.loops[block.slot.id] as LoopTable;
  const state = iteration.states[until] as number;
  if (state !== Resolution.value && state !== Resolution.untaken) {
    finishAs(block, iteration, until);
    return;
  }
  const due = iteration.values[until] === true && state === Resolution.value ? ENDS : CONTINUES;
  if (decideAs(run, iteration, block.slot, due) === ENDS) finishAs(block, iteration, result);
  else if (iteration.index + 1 >= block.plan.max) limitReached(run, block, iteration, result);
  else if (iteration.states[next] === Resolution.value)
    openIteration(run, block, iteration.index + 1, iteration.values[next]);
  else finishAs(block, iteration, next);
}

function limitReached(run: RunState, block: BlockInstance, iteration: Context, result: number): void {
  if (block.plan.onLimit === "exit") {
    finishAs(block, iteration, result);
    return;
  }
  const { owner, slot, plan } = block;
  const error = ownError("LoopLimitExceeded", { node: slot.name, max: plan.max });
  resolve(owner, slot, Resolution.failed, recordFailure(run, owner, slot, error, 1, undefined));
}

/** The loop resolves as the slot at `local` did. */
function finishAs(block: BlockInstance, iteration: Context, local: number): void {
  const state = iteration.states[local] as number;
  resolve(block.owner, block.slot, isBroken(state) ? Resolution.skipped : state, iteration.values[local]);
}
