import { SlotKind, type Dependency } from "../model/plan.ts";
import type { Builder, DraftSlot } from "./builder.ts";

/** Derives from every slot's dependencies what the scheduler walks: consumers, watchers, and what each slot waits for. */
export function linkPlan(builder: Builder): void {
  for (const slot of builder.slots) linkSlot(builder, slot);
}

function linkSlot(builder: Builder, slot: DraftSlot): void {
  const scope = builder.scopes[slot.scope]!;
  let missing = opensWithAnEvent(slot) ? 1 : 0;
  if (slot.collect !== null) builder.slots[slot.collect.watch]!.watchers.push(slot.id);
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

/** Resolved by something other than a slot it depends on: the run's start, an item, the end of a stream. */
function opensWithAnEvent({ kind, collect }: DraftSlot): boolean {
  return kind === SlotKind.input || kind === SlotKind.item || collect !== null;
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
