/** How places and nodes are called, in errors and by bodies, and by which numbers records name them. */
import type { At } from "../../events/record.ts";
import type { ScopePlan, SlotPlan } from "../../model/plan.ts";
import type { Place, World } from "./world.ts";

/** `nightly/listDocs[3]`, `agent/turns#0/think.calls[2]`: arms have no segment of their own. */
export function pathOf(world: World, place: Place): string {
  const { outer, stream, block, index } = place;
  if (outer === null) return world.plan.name;
  const path = pathOf(world, outer);
  if (stream !== null) return `${path}/${nameIn(outer, stream.plan.segment)}[${index}]`;
  return block !== null && isIteration(place) ? `${path}/${nameIn(outer, block.slot.name)}#${index}` : path;
}

/** `nightly/listDocs[3]/parse` */
export function nodePathOf(world: World, place: Place, name: string): string {
  return `${pathOf(world, place)}/${nameIn(place, name)}`;
}

/** In an iteration, names are written without the loop's, which the path says already. */
function nameIn(place: Place, name: string): string {
  for (let at: Place | null = place; at !== null; at = at.outer) {
    if (at.block === null || !isIteration(at)) continue;
    const loop = `${at.block.slot.name}/`;
    return name.startsWith(loop) ? name.slice(loop.length) : name;
  }
  return name;
}

function isIteration(place: Place): boolean {
  return place.scope.kind === "iteration";
}

/** Item and iteration indices, outermost first. An arm needs none: it is open at most once. */
export function indicesOf(place: Place): number[] {
  if (place.outer === null) return [];
  return place.scope.kind === "arm" ? indicesOf(place.outer) : [...indicesOf(place.outer), place.index];
}

/** The item that is `place` or the nearest around it. */
export function itemAround(place: Place): Place | null {
  for (let at: Place | null = place; at !== null; at = at.outer) if (at.stream !== null) return at;
  return null;
}

/** An op was dispatched or a stream opened there. */
export function touch(place: Place): void {
  const item = itemAround(place);
  if (item !== null) item.touched = true;
}

/** The open place that a record speaks of. */
export function findPlace(world: World, slot: SlotPlan, address: At): Place | undefined {
  const indices = address === 0 ? [] : [...address];
  let place: Place | undefined = world.root;
  for (const scope of scopesAround(world, slot)) {
    const index = scope.kind === "arm" ? 0 : indices.shift();
    const outer: Place | undefined = place;
    place = placesIn(world, scope).find((other) => other.outer === outer && other.index === index);
  }
  return place;
}

/** Outermost first, without the run's. */
function scopesAround(world: World, slot: SlotPlan): ScopePlan[] {
  const scopes: ScopePlan[] = [];
  for (let at = world.plan.scopes[slot.scope]; at !== undefined && at.parent >= 0; at = world.plan.scopes[at.parent])
    scopes.unshift(at);
  return scopes;
}

function placesIn({ streams, blocks }: World, scope: ScopePlan): Place[] {
  return [...streams.values(), ...blocks.values()]
    .flatMap(({ open }) => open)
    .filter((place) => place.scope.id === scope.id);
}
