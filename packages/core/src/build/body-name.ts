import { SlotKind, type Plan, type ScopePlan } from "../model/plan.ts";

const alone: ReadonlySet<SlotKind> = new Set([SlotKind.loop, SlotKind.finalizer, SlotKind.bounded]);

/** Of the body of a block, scoped: `gate/then`, `answer/handler`; of a block with one body its own. */
export function bodyName(plan: Plan, { block, name }: ScopePlan): string {
  const { name: owner, kind } = plan.slots[block]!;
  return alone.has(kind) ? owner : `${owner}/${name}`;
}
