import { SlotKind, type Plan, type SlotPlan } from "../model/plan.ts";
import { feedersOf } from "./feeders.ts";

type Tables = Pick<Plan, "slots" | "scopes" | "streams">;

/** Every slot that has resolved, in all contexts it can be seen in, before the slots of `from` can. `from` included. */
export function reach(plan: Tables, from: Iterable<number>): Set<number> {
  const seen = new Set<number>();
  const open = [...from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const slot = plan.slots[at]!;
    for (const dependency of slot.dependencies) open.push(dependency.slot);
    if (slot.collect !== null) open.push(slot.collect.watch);
    open.push(...feedersOf(slot), ...endedWith(plan, slot));
    const { stream, block, parent } = plan.scopes[slot.scope]!;
    if (stream >= 0) open.push(plan.streams[stream]!.source);
    if (block >= 0 && parent >= 0) for (const dependency of plan.slots[block]!.dependencies) open.push(dependency.slot);
  }
  return seen;
}

/** Everything in a block: it ended before a loop, a fallback or a `through` resolves. */
function endedWith(plan: Tables, { id, kind, arms }: SlotPlan): readonly number[] {
  if (kind !== SlotKind.loop && kind !== SlotKind.fallback && kind !== SlotKind.through) return [];
  const block = arms?.block ?? id;
  return plan.slots.filter(({ scope }) => isInBlock(plan, scope, block)).map((slot) => slot.id);
}

function isInBlock(plan: Tables, scope: number, block: number): boolean {
  for (let at = plan.scopes[scope]; at !== undefined; at = plan.scopes[at.parent]) if (at.block === block) return true;
  return false;
}
