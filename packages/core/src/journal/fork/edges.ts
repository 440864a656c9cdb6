/** The relations of a plan as `reach.ts` follows them. */
import { feedersOf } from "../../build/feeders.ts";
import { SlotKind, type Plan, type ScopePlan, type SlotPlan } from "../../model/plan.ts";

export interface Edges {
  /** By slot: those that read it or wait for it. */
  readonly dependents: readonly (readonly number[])[];
  /** By slot: those that take what it leaves, out of an item or a block. */
  readonly takers: readonly (readonly number[])[];
  /** By scope: how many indices its contexts have. */
  readonly depths: readonly number[];
}

const known = new WeakMap<Plan, Edges>();

export function edgesOf(plan: Plan): Edges {
  let edges = known.get(plan);
  if (edges === undefined) known.set(plan, (edges = makeEdges(plan)));
  return edges;
}

function makeEdges(plan: Plan): Edges {
  const dependents: number[][] = plan.slots.map(() => []);
  const takers: number[][] = plan.slots.map(() => []);
  for (const slot of plan.slots) {
    for (const dependency of slot.dependencies) dependents[dependency.slot]?.push(slot.id);
    for (const from of takenBy(plan, slot)) takers[from]?.push(slot.id);
    const region = plan.streams[plan.scopes[slot.scope]?.ephemeral ?? -1];
    // What is made of the items of an ephemeral generator is one record, of the generator.
    if (region !== undefined) takers[slot.id]?.push(region.source);
  }
  return { dependents, takers, depths: plan.scopes.map((scope) => depthOf(plan, scope)) };
}

function takenBy(plan: Plan, slot: SlotPlan): readonly number[] {
  const { collect } = slot;
  return collect === null ? feedersOf(slot) : [collect.watch, plan.streams[collect.stream]?.source ?? 0];
}

/** Arms have no index: they open at most once in the context around. */
function depthOf({ scopes }: Plan, scope: ScopePlan): number {
  let depth = 0;
  for (let at: ScopePlan | undefined = scope; at !== undefined && at.parent >= 0; at = scopes[at.parent])
    if (at.kind !== "arm") depth++;
  return depth;
}

/** In the closure of a finalizer. */
export function isOfFinalizer({ scopes, slots }: Plan, slot: SlotPlan): boolean {
  for (let at = scopes[slot.scope]; at !== undefined && at.parent >= 0; at = scopes[at.parent])
    if (at.block >= 0 && slots[at.block]?.kind === SlotKind.finalizer) return true;
  return false;
}
