import type { BlockPlan, SlotPlan } from "../model/plan.ts";
import type { Context } from "./context.ts";
import type { Failure } from "./failure.ts";

/** One block in one context: a choice whose arm is open, a loop at an iteration, a race, a fallback. */
export class BlockInstance {
  readonly slot: SlotPlan;
  readonly plan: BlockPlan;
  /** The context that the block's slot resolves in; its arms' parent. */
  readonly owner: Context;
  /** Open contexts; a loop has one at a time. */
  readonly children: Context[] = [];
  /** Race: what the arms that lost failed with. Fallback: what ended the body. */
  failures: Failure[] | null = null;
  /** Race: an arm has won. Fallback: the handler was opened. */
  decided = false;
  /** Race: the arm that won. */
  winner: Context | null = null;
  /** Items of a stream that leaves it are out. The stream itself may be over, and forgotten, before the block is. */
  gave = false;
  /** It was swept with what is around it: what closes in it decides nothing any more. */
  abandoned = false;

  constructor(slot: SlotPlan, plan: BlockPlan, owner: Context) {
    this.slot = slot;
    this.plan = plan;
    this.owner = owner;
  }
}

export function removeChild(block: BlockInstance, context: Context): void {
  const { children } = block;
  // A loop has one, and loops close most: `splice` makes an array of what it takes out.
  if (children.at(-1) === context) children.pop();
  else children.splice(children.indexOf(context), 1);
}

export function findBlock(context: Context, slot: number): BlockInstance | undefined {
  return context.blocks?.find((block) => block.slot.id === slot);
}
