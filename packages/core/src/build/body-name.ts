import { SlotKind, type Plan, type ScopePlan } from "../model/plan.ts";

/** Of the body of a block, scoped: `gate/then`, `answer/handler`; of an iteration or a finalizer the block's own. */
export function bodyName(plan: Plan, { block, name }: ScopePlan): string {
  const { name: owner, kind } = plan.slots[block]!;
  return kind === SlotKind.loop || kind === SlotKind.finalizer ? owner : `${owner}/${name}`;
}
