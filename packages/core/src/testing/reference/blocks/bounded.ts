/**
 * A graph call with a time limit (`timeout.total`): it opens its callee, and fails when the journal says that its time is
 * over. Then unsafe bodies in it are awaited and the rest is swept; else it is through when the callee is.
 */
import type { SlotPlan } from "../../../model/plan.ts";
import { beginWork, callWork, endWork, fail, resolve } from "../consequences.ts";
import { recordThrown } from "../failures.ts";
import { sweep } from "../sweep.ts";
import { inputOf } from "../values.ts";
import { at, newCall, Illegal, type Block, type Place, type World } from "../world.ts";
import { endBlock, openArm, openBlock } from "./arms.ts";

export function readyBounded(world: World, place: Place, slot: SlotPlan): void {
  let input: unknown;
  try {
    input = inputOf(world, place, slot);
  } catch (thrown) {
    if (thrown instanceof Illegal) throw thrown;
    fail(world, place, slot, recordThrown(world, place, slot, "EdgeFailed", thrown));
    return;
  }
  const block = openBlock(world, place, slot);
  // Its clock runs: whatever the journal says of it is about that.
  beginWork(place, callWork(slot));
  world.calls.set(at(place, slot.id), { ...newCall(place, slot), phase: "running", input });
  openArm(world, block, 0);
}

export function calleeClosed(world: World, { owner, slot }: Block): void {
  const key = at(owner, slot.id);
  if (world.resolved.has(key)) return;
  world.calls.delete(key);
  resolve(world, owner, slot, { as: "value", value: undefined });
  endWork(world, owner, callWork(slot));
}

/** Its time is over, and what it would have given is known to be missing. */
export function endCallee(world: World, place: Place, slot: SlotPlan): void {
  const block = world.blocks.get(at(place, slot.id));
  const [callee] = block?.open ?? [];
  if (block === undefined || callee === undefined || block.swept) return;
  if (sweep(world, callee, "swept", true)) endBlock(world, block);
}
