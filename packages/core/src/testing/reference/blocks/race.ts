/** Rule 6: the first arm with a value wins and the others are swept. Without any it fails, or is absent if none failed. */
import type { SlotPlan } from "../../../model/plan.ts";
import { fail, failureOf, resolve } from "../consequences.ts";
import { record } from "../failures.ts";
import { sweep } from "../sweep.ts";
import { at, type Block, type Failure, type Place, type Resolved, type World } from "../world.ts";
import { endBlock, openArm, openBlock } from "./arms.ts";
import { decide } from "./decide.ts";

export function readyRace(world: World, place: Place, slot: SlotPlan): void {
  const block = openBlock(world, place, slot);
  for (const arm of block.plan.scopes.keys()) openArm(world, block, arm);
}

/** What an arm is to return resolved. */
export function armResolved(world: World, arm: Place, race: SlotPlan, how: Resolved): void {
  const block = arm.outer === null ? undefined : world.blocks.get(at(arm.outer, race.id));
  if (block === undefined || block.decided) return;
  const failure = failureOf(how);
  if (failure !== null) block.failures.push(failure);
  if (how.as !== "value" && how.as !== "untaken") return;
  block.decided = true;
  decide(world, block.owner, race, { due: arm.scope.arm, from: [...block.plan.scopes.keys()] });
  resolve(world, block.owner, race, { as: "value", value: how.as === "value" ? how.value : undefined });
  for (const loser of block.open.filter((other) => other !== arm)) sweep(world, loser, "swept");
}

export function armClosed(world: World, block: Block): void {
  if (block.open.length > 0 || block.decided) return;
  const { owner, slot, failures } = block;
  const [first] = failures;
  if (first === undefined) resolve(world, owner, slot, { as: "absent" });
  else fail(world, owner, slot, allFailed(world, block, first));
  endBlock(world, block);
}

function allFailed(world: World, { owner, slot, failures }: Block, first: Failure): Failure {
  const which = failures.map(({ error }) => `"${error.node}" failed: ${error.message}`).join("; ");
  const message = `no arm of "${slot.name}" has a value: ${which}`;
  const error = { code: "RaceFailed", type: "RaceFailed", message, data: undefined };
  return record(world, owner, slot, error, 1, undefined, { behind: first });
}
