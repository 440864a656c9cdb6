/** A context of a block closed: what that means for the block, by kind. */
import { SlotKind } from "../../model/plan.ts";
import { removeChild, type BlockInstance } from "../../state/block.ts";
import type { Context } from "../../state/context.ts";
import type { RunState } from "../../state/run-state.ts";
import { Resolution } from "../../state/resolution.ts";
import { resolve } from "../queue.ts";
import { calleeClosed } from "./bounded.ts";
import { closeBlock } from "./contexts.ts";
import { bodyClosed } from "./fallback.ts";
import { iterationClosed } from "./loop.ts";
import { armClosed } from "./race.ts";

/** Called while the states of the context can still be read. */
export function closeInBlock(run: RunState, block: BlockInstance, context: Context): void {
  context.closed = true;
  removeChild(block, context);
  if (!block.abandoned) decideNext(run, block, context);
  if (block.children.length === 0) closeBlock(run, block);
}

function decideNext(run: RunState, block: BlockInstance, context: Context): void {
  const { kind } = block.slot;
  if (kind === SlotKind.loop) iterationClosed(run, block, context);
  else if (kind === SlotKind.fallback) bodyClosed(run, block, context);
  else if (kind === SlotKind.race) armClosed(run, block);
  else if (kind === SlotKind.bounded) calleeClosed(run, block);
  else if (kind === SlotKind.finalizer) resolve(block.owner, block.slot, Resolution.value, undefined);
}
