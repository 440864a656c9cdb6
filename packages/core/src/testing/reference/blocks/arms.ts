/** Rule 6: blocks open their arms and iterations, each a place of its own, and end when the last one closed. */
import type { BlockPlan, SlotPlan } from "../../../model/plan.ts";
import { beginWork, blockWork, endWork, failureOf, resolve } from "../consequences.ts";
import { endPart } from "../passages.ts";
import { openPlace } from "../places.ts";
import { at, Illegal, slotOf, type Block, type Failure, type Place, type Resolved, type World } from "../world.ts";

export function openBlock(world: World, owner: Place, slot: SlotPlan): Block {
  beginWork(owner, blockWork(slot));
  const plan = slot.block as BlockPlan;
  const block: Block = { slot, plan, owner, open: [], failures: [], decided: false, winner: null, swept: false };
  world.blocks.set(at(owner, slot.id), block);
  return block;
}

/** `given`: what the first slot of the place holds: the state of an iteration, the error of a handler. */
export function openArm(world: World, block: Block, arm: number, index = 0, given?: { readonly value: unknown }): void {
  const scope = world.plan.scopes[block.plan.scopes[arm] as number];
  if (scope === undefined) throw new Illegal(`"${block.slot.name}" has no arm ${arm}`);
  const place: Place = {
    key: `${block.owner.key}/b${block.slot.id}.${arm}#${index}`,
    scope,
    outer: block.owner,
    stream: null,
    block,
    index,
    work: new Set(),
    touched: false,
    swept: false,
    closed: false,
  };
  block.open.push(place);
  if (given !== undefined)
    resolve(world, place, slotOf(world, scope.slots[0] as number), { as: "value", value: given.value });
  openPlace(world, place);
}

/** Nothing of it is open any more: whoever waited for all that ran in it need not wait longer. */
export function endBlock(world: World, block: Block): void {
  const { owner, slot } = block;
  if (!world.blocks.delete(at(owner, slot.id))) return;
  endStreamsOf(world, block);
  resolveThrough(world, block.owner, slot, { as: "value", value: undefined });
  endWork(world, owner, blockWork(slot));
}

/** Streams that leave a loop or a fallback end with it; those that leave a choice or a race end with the arm's own. */
function endStreamsOf(world: World, { owner, slot, plan }: Block): void {
  const as = world.resolved.get(at(owner, slot.id))?.as;
  if (as !== "value" && as !== "untaken") return;
  for (const id of plan.forwards) if (slotOf(world, id).arms === null) endPart(world, owner, slotOf(world, id));
}

export function resolveThrough(world: World, owner: Place, slot: SlotPlan, how: Resolved): void {
  const { through } = slot.block as BlockPlan;
  if (through >= 0) resolve(world, owner, slotOf(world, through), how);
}

/** How result `which` of the block stands in one of its places. */
export function resultIn(world: World, { plan, slot }: Block, place: Place, which: number): Resolved {
  const how = world.resolved.get(at(place, plan.results[which] as number));
  if (how === undefined) throw new Illegal(`"${slot.name}" ends in ${place.key}, and its result is not resolved`);
  return how;
}

/** A failure passed on: it happened further in. */
export function passedOn(how: Resolved): Resolved {
  const failure: Failure | null = failureOf(how);
  return failure === null ? how : { as: "skipped", failure };
}
