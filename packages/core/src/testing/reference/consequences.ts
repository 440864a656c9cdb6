/** What every rule ends in: a slot is resolved, a slot is ready, a piece of work begins or ends. */
import type { SlotPlan } from "../../model/plan.ts";
import { at, Illegal, type Failure, type Place, type Resolved, type Stream, type World } from "./world.ts";

/** Rule 1: each slot resolves once; whatever comes later changes nothing. */
export function resolve(world: World, place: Place, slot: SlotPlan, how: Resolved, first = false): void {
  const key = at(place, slot.id);
  if (world.resolved.has(key)) return;
  world.resolved.set(key, how);
  const consequence = { what: "resolved", place, slot } as const;
  if (first) world.queue.unshift(consequence);
  else world.queue.push(consequence);
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

/** It is over, and its stream or block has one open place less. */
export function closePlace(place: Place): void {
  place.closed = true;
  const siblings = place.stream?.open ?? place.block?.open;
  siblings?.splice(siblings.indexOf(place), 1);
}

export function streamWork({ plan }: Stream): string {
  return `stream ${plan.id}`;
}

export function blockWork(slot: SlotPlan): string {
  return `block ${slot.id}`;
}

export function callWork(slot: SlotPlan): string {
  return `op ${slot.id}`;
}

export function failureOf(how: Resolved): Failure | null {
  return how.as === "failed" || how.as === "skipped" ? how.failure : null;
}
