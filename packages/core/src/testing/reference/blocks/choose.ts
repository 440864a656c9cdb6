/** Rules 1 and 6: a choice opens one of its arms; what that leaves goes out field by field, at once. */
import { SlotKind, type ArmsPlan, type BlockPlan, type SlotPlan } from "../../../model/plan.ts";
import { fail, resolve } from "../consequences.ts";
import { recordThrown } from "../failures.ts";
import { endPart } from "../passages.ts";
import { inputOf } from "../values.ts";
import { Illegal, slotOf, type Place, type Resolved, type World } from "../world.ts";
import { openArm, openBlock, passedOn, resolveThrough } from "./arms.ts";
import { decide } from "./decide.ts";

export function readyChoose(world: World, place: Place, slot: SlotPlan): void {
  const { scopes, outputs, forwards } = slot.block as BlockPlan;
  let arm: number;
  try {
    const due = (slot.fn as (value: unknown) => number)(inputOf(world, place, slot));
    const known = !slot.dependencies.some((dependency) => world.fickle.has(slotOf(world, dependency.slot).fn));
    arm = decide(world, place, slot, { due: known ? due : null, from: [-1, ...scopes.keys()] });
  } catch (thrown) {
    if (thrown instanceof Illegal) throw thrown;
    fail(world, place, slot, recordThrown(world, place, slot, "EdgeFailed", thrown));
    return;
  }
  resolve(world, place, slot, { as: "value", value: arm });
  for (const id of [...outputs, ...forwards]) {
    const taken = slotOf(world, id);
    if (arm === -1 || (taken.arms as ArmsPlan).from[arm] === -1) resolve(world, place, taken, { as: "untaken" });
  }
  if (arm === -1) resolveThrough(world, place, slot, { as: "value", value: undefined });
  else openArm(world, openBlock(world, place, slot), arm);
}

/** A slot of the arm resolved that `taken` stands for outside; or a stream ended that leaves the arm. */
export function giveOn(world: World, arm: Place, taken: SlotPlan, how: Resolved): void {
  const { outer, block } = arm;
  if (outer === null || (block?.slot.kind === SlotKind.race && block.winner !== arm)) return;
  if (taken.kind === SlotKind.forward && how.as === "value") endPart(world, outer, taken);
  else resolve(world, outer, taken, passedOn(how));
}

/** A block that never opened gives what it is itself, and is through. */
export function neverOpened(world: World, place: Place, slot: SlotPlan, how: Resolved): void {
  const { outputs, forwards } = slot.block as BlockPlan;
  for (const id of [...outputs, ...forwards]) resolve(world, place, slotOf(world, id), passedOn(how));
  resolveThrough(world, place, slot, passedOn(how));
}
