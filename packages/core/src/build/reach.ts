import { SlotKind } from "../model/plan.ts";
import type { Builder, DraftSlot } from "./builder.ts";
import { feedersOf } from "./feeders.ts";

/** Every slot that has resolved, in all contexts it can be seen in, before the slots of `from` can. `from` included. */
export function reach(builder: Builder, from: Iterable<number>): Set<number> {
  const seen = new Set<number>();
  const open = [...from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const slot = builder.slots[at]!;
    for (const dependency of slot.dependencies) open.push(dependency.slot);
    if (slot.collect !== null) open.push(slot.collect.watch);
    open.push(...feedersOf(slot), ...endedWith(builder, slot));
    const { stream, block, parent } = builder.scopes[slot.scope]!;
    if (stream >= 0) open.push(builder.streams[stream]!.source);
    if (block >= 0 && parent >= 0)
      for (const dependency of builder.slots[block]!.dependencies) open.push(dependency.slot);
  }
  return seen;
}

/** Everything in a block: it ended before a loop, a fallback or a `through` resolves. */
function endedWith(builder: Builder, { id, kind, arms }: DraftSlot): readonly number[] {
  if (kind !== SlotKind.loop && kind !== SlotKind.fallback && kind !== SlotKind.through) return [];
  const block = arms?.block ?? id;
  return builder.slots.filter(({ scope }) => isInBlock(builder, scope, block)).map((slot) => slot.id);
}

function isInBlock(builder: Builder, scope: number, block: number): boolean {
  for (let at = builder.scopes[scope]; at !== undefined; at = builder.scopes[at.parent])
    if (at.block === block) return true;
  return false;
}
