/**
 * `loop`: iteration n+1 opens when iteration n closed. Then `until` decides first, and only what is needed next must have
 * a value: the next state, or the result (rule 6).
 */
import type { SlotPlan } from "../../model/plan.ts";
import type { BlockInstance } from "../../state/block.ts";
import type { Context } from "../../state/context.ts";
import { isBroken, Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import { decide } from "../decisions.ts";
import { edgeFailed, ownError, recordFailure } from "../failures.ts";
import { resolve } from "../queue.ts";
import { openArmWith, openBlock } from "./contexts.ts";

const CONTINUES = 0;
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
  openArmWith(run, block, 0, 0, state);
}

export function iterationClosed(run: RunState, block: BlockInstance, iteration: Context): void {
  const until = resultOf(run, block, iteration, 0);
  if (until.state !== Resolution.value && until.state !== Resolution.untaken) {
    finish(block, until);
    return;
  }
  const choice = decide(run, iteration, block.slot, () => (until.value === true ? ENDS : CONTINUES));
  if (choice === ENDS) finish(block, resultOf(run, block, iteration, 2));
  else if (iteration.index + 1 >= block.plan.max) limitReached(run, block, iteration);
  else goOn(run, block, iteration);
}

function goOn(run: RunState, block: BlockInstance, iteration: Context): void {
  const next = resultOf(run, block, iteration, 1);
  if (next.state === Resolution.value) openArmWith(run, block, 0, iteration.index + 1, next.value);
  else finish(block, next);
}

function limitReached(run: RunState, block: BlockInstance, iteration: Context): void {
  if (block.plan.onLimit === "exit") {
    finish(block, resultOf(run, block, iteration, 2));
    return;
  }
  const { owner, slot, plan } = block;
  const error = ownError("LoopLimitExceeded", { node: slot.name, max: plan.max });
  resolve(owner, slot, Resolution.failed, recordFailure(run, owner, slot, error, 1, undefined));
}

interface Outcome {
  readonly state: number;
  readonly value: unknown;
}

function resultOf(run: RunState, block: BlockInstance, iteration: Context, which: number): Outcome {
  const { local } = run.program.plan.slots[block.plan.results[which] as number] as SlotPlan;
  return { state: iteration.states[local] as number, value: iteration.values[local] };
}

function finish(block: BlockInstance, { state, value }: Outcome): void {
  resolve(block.owner, block.slot, isBroken(state) ? Resolution.skipped : state, value);
}
