/** What every rule ends in: a slot is resolved, a slot is ready, a piece of work begins or ends. */
import type { SlotPlan } from "../../model/plan.ts";
import { at, Illegal, type Failure, type Place, type Resolved, type World } from "./world.ts";

/** Rule 1: each slot resolves once; whatever comes later changes nothing. */
export function resolve(world: World, place: Place, slot: SlotPlan, how: Resolved): void {
  const key = at(place, slot.id);
  if (world.resolved.has(key)) return;
  world.resolved.set(key, how);
  world.queue.push({ what: "resolved", place, slot });
}

export function fail(world: World, place: Place, slot: SlotPlan, failure: Failure): void {
  resolve(world, place, slot, { as: "failed", failure });
}

export function skip(world: World, place: Place, slot: SlotPlan, failure: Failure): void {
  resolve(world, place, slot, { as: "skipped", failure });
}

export function ready(world: World, place: Place, slot: SlotPlan): void {
  world.queue.push({ what: "ready", place, slot });
}

/** Rule 2: a place with work stays open. */
export function beginWork(place: Place, name: string): void {
  if (place.closed) throw new Illegal(`${name} begins in ${place.key}, which is closed`);
  if (place.work.has(name)) throw new Illegal(`${name} begins twice in ${place.key}`);
  place.work.add(name);
}

export function endWork(world: World, place: Place, name: string): void {
  if (!place.work.delete(name)) throw new Illegal(`${name} ends in ${place.key}, and did not begin`);
  if (place.work.size === 0) world.closing.push(place);
}

export function failureOf(how: Resolved): Failure | null {
  return how.as === "failed" || how.as === "skipped" ? how.failure : null;
}
