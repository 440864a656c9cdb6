import type { SlotPlan } from "../model/plan.ts";

/** Slots of the scopes of a block whose resolutions this slot takes. */
export function feedersOf({ block, arms, fedBy }: Pick<SlotPlan, "block" | "arms" | "fedBy">): readonly number[] {
  if (block !== null) return block.results;
  if (fedBy !== null) return fedBy;
  if (arms === null) return [];
  return [...arms.from.filter((slot) => slot >= 0), arms.block];
}
