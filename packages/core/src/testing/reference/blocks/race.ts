/** Rule 6: the first arm with a value wins and the others are swept. Without any it fails, or is absent if none failed. */
import { SlotKind, type SlotPlan } from "../../../model/plan.ts";
import { fail, failureOf, resolve } from "../consequences.ts";
import { record } from "../failures.ts";
import { sweep } from "../sweep.ts";
import { at, slotOf, type Block, type Failure, type Place, type Resolved, type World } from "../world.ts";
import { endBlock, openArm, openBlock, passedOn } from "./arms.ts";
import { giveOn } from "./choose.ts";
import { decide } from "./decide.ts";

export function readyRace(world: World, place: Place, slot: SlotPlan): void {
  const block = openBlock(world, place, slot);
  for (const arm of block.plan.scopes.keys()) openArm(world, block, arm);
}

/** What an arm is to return resolved. */
export function armResolved(world: World, arm: Place, race: SlotPlan, how: Resolved): void {
  const block = arm.outer === null ? undefined : world.blocks.get(at(arm.outer, race.id));
  if (block === undefined || (block.decided && block.winner !== arm)) return;
  if (how.as === "value" || how.as === "untaken") {
    const wins = !block.decided;
    if (wins) win(world, block, arm);
    resolve(world, block.owner, race, { as: "value", value: how.as === "value" ? how.value : undefined });
    if (wins) sweepLosers(world, block);
    return;
  }
  if (block.winner === arm) {
    resolve(world, block.owner, race, passedOn(how));
    return;
  }
  const failure = failureOf(how);
  if (failure !== null) block.failures.push(failure);
}

function win(world: World, block: Block, arm: Place): void {
  block.decided = true;
  block.winner = arm;
  decide(world, block.owner, block.slot, { due: arm.scope.arm, from: [...block.plan.scopes.keys()] });
  for (const id of block.plan.forwards) settleStream(world, arm, slotOf(world, id));
}

/** A stream that the arm does not have is none; one that ended before the arm won has ended. */
function settleStream(world: World, arm: Place, forward: SlotPlan): void {
  const from = forward.arms?.from[arm.scope.arm] ?? -1;
  const ended = world.resolved.get(at(arm, from));
  if (from === -1) resolve(world, arm.outer as Place, forward, { as: "untaken" });
  else if (ended !== undefined) giveOn(world, arm, forward, ended);
}

function sweepLosers(world: World, { open, winner }: Block): void {
  for (const loser of open.filter((other) => other !== winner)) sweep(world, loser, "swept");
}

/**
 * An item is about to leave `arm`, which may be an arm of a race: the first with a value decides it, and nothing leaves
 * the others.
 */
export function winByItem(world: World, arm: Place, how: Resolved): boolean {
  const { block } = arm;
  if (block?.slot.kind !== SlotKind.race) return true;
  if (!block.decided && how.as === "value") {
    win(world, block, arm);
    // What else it returns may have broken before.
    const before = world.resolved.get(at(arm, block.plan.results[arm.scope.arm] as number));
    if (before !== undefined) resolve(world, block.owner, block.slot, passedOn(before));
    sweepLosers(world, block);
  }
  return block.winner === arm;
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
