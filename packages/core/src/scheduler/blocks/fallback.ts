/**
 * `fallback`: the first failure in the body that nothing in it handles ends the body; bodies of unsafe ops that run are
 * awaited, the rest is swept, and then the handler runs (rule 6). The block resolves when what came last is through: a
 * value that a later failure of the body takes back would be worse than one that comes late.
 */
import type { SlotPlan } from "../../model/plan.ts";
import type { BlockInstance } from "../../state/block.ts";
import type { Context } from "../../state/context.ts";
import type { Failure } from "../../state/failure.ts";
import { isBroken, isResolved, Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import { abandon } from "../abandon.ts";
import { blockFailed } from "../failures.ts";
import { resolve } from "../queue.ts";
import { closeBlock, openArm, openArmWith, openBlock } from "./contexts.ts";

const BODY = 0;
const HANDLER = 1;

/** Ready the first time, it opens its body; when a failure was caught in that, it comes here again. */
export function readyFallback(run: RunState, context: Context, slot: SlotPlan): void {
  if (context.states[slot.local] === Resolution.open) {
    endBody(run, context.values[slot.local] as BlockInstance);
    return;
  }
  const block = openBlock(context, slot);
  context.states[slot.local] = Resolution.open;
  context.values[slot.local] = block;
  openArm(run, block, BODY);
}

function endBody(run: RunState, block: BlockInstance): void {
  const body = block.children.find((child) => child.scope.arm === BODY);
  if (block.decided || body === undefined) return;
  // Items of the body are out already: what the handler gave could only come on top of them.
  if (block.gave) {
    breakOff(run, block, body);
    return;
  }
  if (abandon(run, body, Resolution.swept, { keepUnsafe: true })) handle(run, block);
}

/** The streams that leave it end as failed, and so does the block. */
function breakOff(run: RunState, block: BlockInstance, body: Context): void {
  const { owner, slot } = block;
  const cause = (block.failures as Failure[])[0] as Failure;
  block.decided = true;
  resolve(owner, slot, Resolution.failed, blockFailed(run, owner, slot, cause, cause));
  if (abandon(run, body, Resolution.swept, { keepUnsafe: true })) closeBlock(run, block);
}

function handle(run: RunState, block: BlockInstance): void {
  block.decided = true;
  openArmWith(run, block, HANDLER, 0, (block.failures as Failure[])[0]?.error);
}

/** The body or the handler came to its end. */
export function bodyClosed(run: RunState, block: BlockInstance, context: Context): void {
  const { owner, slot } = block;
  if (isResolved(owner.states[slot.local] as number)) return;
  if (context.scope.arm === BODY && block.failures !== null) {
    handle(run, block);
    return;
  }
  const { local } = run.program.plan.slots[block.plan.results[context.scope.arm] as number] as SlotPlan;
  const state = context.states[local] as number;
  const value = context.values[local];
  const cause = block.failures?.[0];
  if (!isBroken(state)) resolve(owner, slot, state, value);
  else if (cause === undefined) resolve(owner, slot, Resolution.skipped, value);
  else resolve(owner, slot, Resolution.failed, blockFailed(run, owner, slot, value as Failure, cause));
  closeBlock(run, block);
}
