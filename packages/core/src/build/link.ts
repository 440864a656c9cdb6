import { SlotKind, type Dependency } from "../model/plan.ts";
import type { Builder, DraftSlot } from "./builder.ts";
import { streamAround } from "./scopes.ts";

/** Derives from every slot's dependencies what the scheduler walks: consumers, watchers, and what each slot waits for. */
export function linkPlan(builder: Builder): void {
  for (const scope of builder.scopes) scope.depth = depthOf(builder, scope.id);
  for (const slot of builder.slots) if (slot.op !== null || slot.ordered) giveLane(builder, slot);
  for (const slot of builder.slots) linkSlot(builder, slot);
}

/** How many contexts are around. */
function depthOf(builder: Builder, scope: number): number {
  const { parent } = builder.scopes[scope]!;
  return parent < 0 ? 0 : depthOf(builder, parent) + 1;
}

/** Lanes belong to the stream around, through the arms and iterations in between. */
function giveLane(builder: Builder, slot: DraftSlot): void {
  const stream = streamAround(builder, slot.scope);
  if (stream < 0) return;
  const { lanes } = builder.streams[stream]!;
  slot.lane = lanes.length;
  lanes.push(slot.id);
}

function linkSlot(builder: Builder, slot: DraftSlot): void {
  const scope = builder.scopes[slot.scope]!;
  let missing = opensWithAnEvent(slot) ? 1 : 0;
  for (const id of watchedBy(slot)) builder.slots[id]!.watchers.push(slot.id);
  for (const dependency of slot.dependencies) {
    const source = builder.slots[dependency.slot]!;
    if (source.scope === slot.scope) {
      missing++;
      source.consumers.push(slot.local * 2 + (dependency.after ? 1 : 0));
    } else {
      scope.outer.push(outerDependency(builder, slot, source, dependency));
    }
  }
  scope.missing.push(missing);
  if (missing === 0 && !hasOuter(builder, slot)) scope.ready.push(slot.local);
}

/** Slots further in whose resolutions `slot` takes as they come. Loops and fallbacks look when a context closes. */
function watchedBy({ kind, block, arms, collect }: DraftSlot): readonly number[] {
  if (collect !== null) return [collect.watch];
  if (arms !== null) return arms.from.filter((slot) => slot >= 0);
  return kind === SlotKind.race && block !== null ? block.results : [];
}

/** Resolved by something other than a slot it depends on: the run's start, an item, the end of a stream, an arm. */
function opensWithAnEvent({ kind, arms, collect }: DraftSlot): boolean {
  return (
    kind === SlotKind.input ||
    kind === SlotKind.item ||
    kind === SlotKind.forward ||
    kind === SlotKind.finalizer ||
    arms !== null ||
    collect !== null
  );
}

function outerDependency(
  builder: Builder,
  slot: DraftSlot,
  source: DraftSlot,
  { after }: Dependency,
): { local: number; slot: number; hops: number; after: boolean } {
  return {
    local: slot.local,
    slot: source.id,
    hops: builder.scopes[slot.scope]!.depth - builder.scopes[source.scope]!.depth,
    after,
  };
}

function hasOuter(builder: Builder, { dependencies, scope }: DraftSlot): boolean {
  return dependencies.some((dependency) => builder.slots[dependency.slot]!.scope !== scope);
}
