/**
 * Contexts of blocks open and close.
 *
 * B1  A block instance is one piece of open work of its owner from its opening until its last context closed.
 * B2  An arm opens at most once per owner; iteration n+1 opens when iteration n closed.
 */
import { BlockInstance } from "../../state/block.ts";
import type { BlockPlan, ScopePlan, SlotPlan } from "../../model/plan.ts";
import { Context } from "../../state/context.ts";
import { isBroken, isResolved, Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import { openContext } from "../contexts.ts";
import { closeForward, endForward } from "../open-forward.ts";
import { doneWith, resolve } from "../queue.ts";

/** B1 */
export function openBlock(context: Context, slot: SlotPlan): BlockInstance {
  const block = new BlockInstance(slot, slot.block as BlockPlan, context);
  context.blocks ??= [];
  context.blocks.push(block);
  context.open++;
  return block;
}

export function openArm(run: RunState, block: BlockInstance, arm: number): void {
  openContext(run, newContext(run, block, arm, 0));
}

/** For contexts that are opened with a value: a loop's state, the error of a handler. It is the first slot of the scope. */
export function openArmWith(run: RunState, block: BlockInstance, arm: number, index: number, value: unknown): void {
  const context = newContext(run, block, arm, index);
  const given = run.program.slots[context.scope.slots[0] as number] as SlotPlan;
  resolve(context, given, Resolution.value, value);
  openContext(run, context);
}

function newContext(run: RunState, block: BlockInstance, arm: number, index: number): Context {
  const scope = run.program.scopes[block.plan.scopes[arm] as number];
  if (scope === undefined) throw new Error("an arm has a scope");
  return newContextOf(run, block, scope, index);
}

/** The same for callers that have the scope. */
export function newContextOf(run: RunState, block: BlockInstance, scope: ScopePlan, index: number): Context {
  const { initial, blank } = run.program;
  const states = (initial[scope.id] as number[]).slice();
  const context = new Context(scope, states, (blank[scope.id] as unknown[]).slice(), block.owner, null, index);
  context.block = block;
  // Not `push`, which is a call for arrays that have seen nothing yet, as each block's has.
  block.children[block.children.length] = context;
  return context;
}

/** B1: nothing of it is open any more. */
export function closeBlock(run: RunState, block: BlockInstance): void {
  const { owner, slot } = block;
  const at = owner.blocks?.indexOf(block) ?? -1;
  if (at < 0) return;
  owner.blocks?.splice(at, 1);
  for (const id of block.plan.forwards) endByBlock(block, run.program.plan.slots[id] as SlotPlan);
  resolveThrough(run, owner, slot, Resolution.value, undefined);
  doneWith(owner);
}

/** Streams out of a loop or a fallback end with it; those out of a choice or a race with the arm's own. */
function endByBlock({ owner, slot }: BlockInstance, forward: SlotPlan): void {
  const state = owner.states[slot.local] as number;
  if (forward.arms === null && (state === Resolution.value || state === Resolution.untaken)) endForward(owner, forward);
}

export function resolveThrough(run: RunState, context: Context, slot: SlotPlan, state: number, value: unknown): void {
  const { through } = slot.block as BlockPlan;
  if (through < 0) return;
  const waiting = run.program.plan.slots[through] as SlotPlan;
  if (!isResolved(context.states[waiting.local] as number)) resolve(context, waiting, state, value);
}

/** The block itself resolved without a value: so does what it would have given. */
export function blockBroke(run: RunState, context: Context, slot: SlotPlan, state: number, value: unknown): void {
  const as = isBroken(state) ? Resolution.skipped : state;
  const { outputs, forwards } = slot.block as BlockPlan;
  for (const id of [...outputs, ...forwards]) {
    const taken = run.program.plan.slots[id] as SlotPlan;
    closeForward(context, taken, as, value);
  }
  resolveThrough(run, context, slot, as, value);
}
