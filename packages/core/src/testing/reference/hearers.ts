/** Who hears of a slot that resolved, in plan order: read off the plan once, and not again at each resolution. */
import { SlotKind, type Plan, type SlotPlan } from "../../model/plan.ts";

export interface Hearers {
  /** In its own scope, and depend on it. */
  readonly beside: Set<SlotPlan>;
  /** Further out, and take what resolves further in: collectors, outputs of arms, races. */
  readonly watchers: Set<SlotPlan>;
}

const known = new WeakMap<Plan, readonly Hearers[]>();

export function hearersOf(plan: Plan, slot: SlotPlan): Hearers {
  let all = known.get(plan);
  if (all === undefined) known.set(plan, (all = hearersIn(plan)));
  return all[slot.id] as Hearers;
}

function hearersIn({ slots }: Plan): Hearers[] {
  const all = slots.map((): Hearers => ({ beside: new Set(), watchers: new Set() }));
  for (const slot of slots) {
    for (const { slot: source } of slot.dependencies)
      if (slots[source]?.scope === slot.scope) all[source]?.beside.add(slot);
    for (const watched of watchedBy(slot)) all[watched]?.watchers.add(slot);
  }
  return all;
}

function watchedBy({ collect, arms, kind, block }: SlotPlan): readonly number[] {
  if (collect !== null) return [collect.watch];
  return [...(arms?.from ?? []), ...(kind === SlotKind.race ? (block?.results ?? []) : [])];
}
