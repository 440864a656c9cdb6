import { SlotKind } from "../model/plan.ts";
import type { Builder, DraftSlot } from "./builder.ts";

/** Edges of the bodies of blocks are reported at the block when they read no named node: it did not exist before. */
export function anchorBlocks(builder: Builder): void {
  for (const slot of builder.slots) {
    if (slot.name !== "") continue;
    const { block } = builder.scopes[slot.scope]!;
    if (slot.arms !== null) slot.anchor = slot.arms.block;
    else if (slot.kind === SlotKind.item) slot.anchor = block >= 0 ? block : slot.anchor;
    else slot.anchor = anchorOf(builder, slot, block);
  }
}

function anchorOf(builder: Builder, slot: DraftSlot, block: number): number {
  if (slot.collect !== null) return builder.slots[slot.collect.watch]!.anchor;
  for (const dependency of slot.dependencies) {
    const { anchor } = builder.slots[dependency.slot]!;
    if (builder.slots[anchor]!.kind !== SlotKind.input) return anchor;
  }
  return block >= 0 ? block : slot.anchor;
}
