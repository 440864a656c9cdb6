import type { Plan, SlotPlan } from "../model/plan.ts";

const known = new WeakMap<SlotPlan, readonly string[]>();

/** The named nodes that a slot reads, directly or through edges, in plan order; what it only waits for is not read. */
export function upstreamOf(plan: Plan, slot: SlotPlan): readonly string[] {
  const before = known.get(slot);
  if (before !== undefined) return before;
  const found = new Set<string>();
  const visit = (from: SlotPlan): void => {
    for (const id of sourcesOf(plan, from)) {
      const source = plan.slots[id] as SlotPlan;
      if (source.name === "") visit(source);
      else found.add(source.name);
    }
  };
  visit(slot);
  const names = [...found];
  known.set(slot, names);
  return names;
}

/** An item comes from the source of its stream, a collect from what it watches. */
function sourcesOf(plan: Plan, slot: SlotPlan): readonly number[] {
  if (slot.collect !== null) return [slot.collect.watch];
  const scope = plan.scopes[slot.scope];
  if (slot.local === 0 && scope !== undefined && scope.stream >= 0) return [plan.streams[scope.stream]?.source ?? 0];
  return slot.dependencies.filter(({ after }) => !after).map((dependency) => dependency.slot);
}
