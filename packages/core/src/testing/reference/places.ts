/** Places open, and their slots hear of what they depend on. */
import { SlotKind, type SlotPlan } from "../../model/plan.ts";
import { beginWork, endWork, failureOf, ready, resolve, skip } from "./consequences.ts";
import { at, enclosing, slotOf, type Place, type Resolved, type World } from "./world.ts";

/**
 * A fresh place: its slots hear at once of what is resolved further out and wait for the rest; those that depend on
 * nothing are ready.
 */
export function openPlace(world: World, place: Place): void {
  const slots = place.scope.slots.map((id) => slotOf(world, id));
  for (const slot of slots) {
    for (const { slot: source } of slot.dependencies) joinOuter(world, place, slot, slotOf(world, source));
  }
  for (const slot of slots) if (isIndependent(slot)) ready(world, place, slot);
  if (place.work.size === 0) world.closing.push(place);
}

const givenKinds: ReadonlySet<SlotKind> = new Set<SlotKind>([
  SlotKind.input,
  SlotKind.item,
  SlotKind.forward,
  SlotKind.finalizer,
]);

/**
 * Inputs and items come with the place; collectors are resolved by their stream, outputs of arms by the arms, and what is
 * passed on by what comes; finalizers open at the end.
 */
function isIndependent({ kind, dependencies, collect, arms }: SlotPlan): boolean {
  const given = givenKinds.has(kind);
  return !given && dependencies.length === 0 && collect === null && arms === null;
}

function joinOuter(world: World, place: Place, slot: SlotPlan, source: SlotPlan): void {
  if (source.scope === place.scope.id) return;
  const key = at(enclosing(place, source.scope), source.id);
  const how = world.resolved.get(key);
  if (how !== undefined) {
    hear(world, place, slot, source, how);
    return;
  }
  beginWork(place, waitName(slot, source));
  world.waits.set(key, [...(world.waits.get(key) ?? []), { place, slot }]);
}

function waitName(slot: SlotPlan, source: SlotPlan): string {
  return `slot ${slot.id} waits for ${source.id}`;
}

/** Those further in that wait for `source` hear of it, in the order they began to wait. */
export function tellInward(world: World, place: Place, source: SlotPlan, how: Resolved): void {
  const key = at(place, source.id);
  const waits = world.waits.get(key) ?? [];
  world.waits.delete(key);
  for (const wait of waits) {
    if (wait.place.closed) continue;
    hear(world, wait.place, wait.slot, source, how);
    endWork(world, wait.place, waitName(wait.slot, source));
  }
}

/** It is over: what it waits for is of no concern to it any more. */
export function stopWaiting(world: World, place: Place): void {
  for (const [key, waits] of world.waits)
    world.waits.set(
      key,
      waits.filter((wait) => wait.place !== place),
    );
}

/**
 * Rule 1 for one dependency of one slot. A failure decides at once and its cause is the slot's; anything else decides
 * when all are known, swept before absent. `after` is satisfied by whatever is not a failure.
 */
export function hear(world: World, place: Place, slot: SlotPlan, source: SlotPlan, how: Resolved): void {
  const key = at(place, slot.id);
  if (world.resolved.has(key)) return;
  const heard = world.heard.get(key) ?? new Map<number, Resolved>();
  world.heard.set(key, heard.set(source.id, how));
  const failure = failureOf(how);
  if (failure !== null) skip(world, place, slot, failure);
  else if (heard.size === slot.dependencies.length) decide(world, place, slot, heard);
}

function decide(world: World, place: Place, slot: SlotPlan, heard: ReadonlyMap<number, Resolved>): void {
  const data = slot.dependencies.filter(({ after }) => !after).map((dependency) => heard.get(dependency.slot)?.as);
  if (data.includes("swept")) resolve(world, place, slot, { as: "swept" });
  else if (data.includes("absent")) resolve(world, place, slot, { as: "absent" });
  else ready(world, place, slot);
}
