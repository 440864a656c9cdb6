import { buildError } from "../base/error.ts";
import { SlotKind } from "../model/plan.ts";
import { RUN_SCOPE, type Builder, type DraftSlot } from "./builder.ts";
import { reach } from "./reach.ts";
import { itemScopeOf, scopeLabel } from "./scopes.ts";

/** Refuses reads that a writer may still follow, and writers of a keep-the-last cell whose order nothing decides. */
export function checkCells(builder: Builder): void {
  if (builder.cells.length === 0) return;
  const writers: DraftSlot[][] = builder.cells.map(() => []);
  for (const slot of builder.slots) if (slot.kind === SlotKind.push) writers[slot.cell]!.push(slot);
  for (const cell of builder.lastCells) if (!builder.racyCells.has(cell)) checkWriters(builder, cell, writers[cell]!);
  for (const read of builder.orderedReads) checkRead(builder, builder.slots[read]!, writers);
}

function checkWriters(builder: Builder, cell: number, writers: readonly DraftSlot[]): void {
  const { name } = builder.cells[cell]!;
  const fix =
    "order them with after, use a reducer that takes any order, or say cell(name, reducer, { allowRace: true })";
  for (const [i, writer] of writers.entries()) {
    if (itemScopeOf(builder, writer.scope) !== RUN_SCOPE) {
      throw buildError(
        `cell ${name} keeps the last update, but the push of ${writerLabel(builder, writer)} runs per item of ${scopeLabel(builder, writer.scope)}, in no fixed order`,
        fix,
        "UnorderedCell",
      );
    }
    const before = i === 0 ? null : writers[i - 1]!;
    if (before === null || reach(builder, [writer.id]).has(before.id) || areExclusive(builder, before, writer))
      continue;
    throw buildError(
      `cell ${name} keeps the last update, but nothing orders the pushes of ${writerLabel(builder, before)} and ${writerLabel(builder, writer)}`,
      fix,
      "UnorderedCell",
    );
  }
}

/** In two arms of one choice: at most one of them runs. */
function areExclusive(builder: Builder, a: DraftSlot, b: DraftSlot): boolean {
  const arms = new Map<number, number>();
  for (let at = builder.scopes[a.scope]!; at.parent >= 0; at = builder.scopes[at.parent]!) arms.set(at.block, at.arm);
  for (let at = builder.scopes[b.scope]!; at.parent >= 0; at = builder.scopes[at.parent]!) {
    const arm = arms.get(at.block);
    if (at.block >= 0 && arm !== undefined && arm !== at.arm) return builder.slots[at.block]!.kind === SlotKind.choose;
  }
  return false;
}

/** Writers inside streams are through when something of the run has waited for the end of these streams. */
function checkRead(builder: Builder, read: DraftSlot, writers: readonly (readonly DraftSlot[])[]): void {
  const before = reach(builder, [read.id]);
  const inRun = [...before].filter((slot) => itemScopeOf(builder, builder.slots[slot]!.scope) === RUN_SCOPE);
  const through = reach(builder, inRun);
  for (const writer of writers[read.cell]!) {
    if (through.has(writer.id)) continue;
    throw buildError(
      `read() of cell ${builder.cells[read.cell]!.name} may come before the push of ${writerLabel(builder, writer)}`,
      "name that push, or something after it, in the read's after; or say { allowRace: true }",
      "UnorderedCell",
    );
  }
}

/** `judge.verdict` is pushed by no named node; its source is what people know. */
function writerLabel(builder: Builder, writer: DraftSlot): string {
  return builder.slots[writer.anchor]!.name;
}
