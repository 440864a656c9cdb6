import { SlotKind } from "../../model/plan.ts";
import type { Builder, DraftSlot } from "../builder.ts";

/**
 * The slot that resolves when everything in the block ended; or -1 for a slot that is no block, or one that resolves only
 * then. Made when something waits for it.
 */
export function throughOf(builder: Builder, block: number, add: (scope: number) => DraftSlot): number {
  const slot = builder.slots[block]!;
  if (slot.kind !== SlotKind.choose && slot.kind !== SlotKind.race) return -1;
  const plan = slot.block as { through: number };
  if (plan.through < 0) plan.through = add(slot.scope).id;
  return plan.through;
}
