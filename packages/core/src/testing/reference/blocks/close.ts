import { SlotKind } from "../../../model/plan.ts";
import { closePlace, resolve } from "../consequences.ts";
import { Illegal, type Block, type Place, type World } from "../world.ts";
import { endBlock } from "./arms.ts";
import { calleeClosed } from "./bounded.ts";
import { bodyClosed } from "./fallback.ts";
import { iterationClosed } from "./loop.ts";
import { armClosed } from "./race.ts";

/** An arm or iteration closed: what its block does next, by kind. One that was swept does nothing more. */
export function closeInBlock(world: World, block: Block, place: Place): void {
  closePlace(place);
  if (!block.swept) goOn(world, block, place);
  if (block.open.length === 0) endBlock(world, block);
}

function goOn(world: World, block: Block, place: Place): void {
  switch (block.slot.kind) {
    case SlotKind.choose:
      break;
    case SlotKind.loop:
      iterationClosed(world, block, place);
      break;
    case SlotKind.race:
      armClosed(world, block);
      break;
    case SlotKind.finalizer:
      resolve(world, block.owner, block.slot, { as: "value", value: undefined });
      break;
    case SlotKind.fallback:
      bodyClosed(world, block, place);
      break;
    case SlotKind.bounded:
      calleeClosed(world, block);
      break;
    default:
      throw new Illegal(`slot ${block.slot.id} is no block`);
  }
}
