import { buildError } from "../base/error.ts";
import { SlotKind } from "../model/plan.ts";
import { RUN_SCOPE, type Builder, type DraftSlot } from "./builder.ts";
import { reach } from "./reach.ts";
import { itemScopeOf, scopeLabel } from "./scopes.ts";

/** Refuses reads that a writer may still follow, and writers whose order decides the value and is not decided itself. */
export function checkCells(builder: Builder): void {
  if (builder.cells.length === 0) return;
  const writers: DraftSlot[][] = builder.cells.map(() => []);
  for (const slot of builder.slots) if (slot.kind === SlotKind.push) writers[slot.cell]!.push(slot);
  writers.forEach((all, cell) => builder.racyCells.has(cell) || checkWriters(builder, cell, all));
  for (const read of builder.orderedReads) checkRead(builder, builder.slots[read]!, writers);
}

const ORDER_FIX =
  "order them with after (or, per item of one stream, with ordered: true), use a reducer that takes any order, or say cell(name, reducer, { allowRace: true })";

/** A writer that replaces what the others left, and every writer of a cell that keeps the last update, has its place. */
function checkWriters(builder: Builder, cell: number, writers: readonly DraftSlot[]): void {
  const keepsLast = builder.lastCells.has(cell);
  writers.forEach((writer, i) => {
    if (keepsLast || writer.overwrites) refusePerItem(builder, cell, writer);
    let before: ReadonlySet<number> | null = null;
    for (const earlier of writers.slice(0, i)) {
      if (!keepsLast && !writer.overwrites && !earlier.overwrites) continue;
      before ??= reach(builder, [writer.id]);
      if (!before.has(earlier.id) && !areOrderedArms(builder, earlier, writer))
        refuseUnordered(builder, cell, earlier, writer);
    }
  });
}

function refusePerItem(builder: Builder, cell: number, writer: DraftSlot): void {
  if (itemScopeOf(builder, writer.scope) === RUN_SCOPE || hasItsPlace(builder, writer)) return;
  throw buildError(
    `cell ${subject(builder, cell, writer)}, but the push of ${writerLabel(builder, writer)} runs per item of ${scopeLabel(builder, writer.scope)}, in no fixed order`,
    ORDER_FIX,
    "UnorderedCell",
  );
}

/**
 * One push per item of one stream, in yield order. That is decided for lists, generators and zips; items that left a block
 * are in the order they came, those of two outer items in none, and in a loop an item may push again.
 */
function hasItsPlace(builder: Builder, { ordered, scope }: DraftSlot): boolean {
  const streams: number[] = [];
  for (let at = builder.scopes[scope]!; at.parent >= 0; at = builder.scopes[at.parent]!) {
    if (at.kind === "iteration") return false;
    if (at.stream >= 0) streams.push(at.stream);
  }
  const [only] = streams;
  if (!ordered || only === undefined || streams.length > 1) return false;
  const { kind, zip } = builder.slots[builder.streams[only]!.source]!;
  return kind !== SlotKind.forward || zip !== null;
}

function refuseUnordered(builder: Builder, cell: number, a: DraftSlot, b: DraftSlot): never {
  throw buildError(
    `cell ${subject(builder, cell, a.overwrites ? a : b)}, but nothing orders ${bothLabel(writerLabel(builder, a), writerLabel(builder, b))}`,
    ORDER_FIX,
    "UnorderedCell",
  );
}

function subject(builder: Builder, cell: number, writer: DraftSlot): string {
  const { name } = builder.cells[cell]!;
  return writer.overwrites ? `${name} is overwritten` : `${name} keeps the last update`;
}

/**
 * In two arms of one block that never push at the same time: of a choice at most one runs, and the handler of a fallback
 * runs when its body is over.
 */
function areOrderedArms(builder: Builder, a: DraftSlot, b: DraftSlot): boolean {
  const arms = new Map<number, number>();
  for (let at = builder.scopes[a.scope]!; at.parent >= 0; at = builder.scopes[at.parent]!) arms.set(at.block, at.arm);
  for (let at = builder.scopes[b.scope]!; at.parent >= 0; at = builder.scopes[at.parent]!) {
    const arm = arms.get(at.block);
    if (at.block < 0 || arm === undefined || arm === at.arm) continue;
    const { kind } = builder.slots[at.block]!;
    return kind === SlotKind.choose || kind === SlotKind.fallback;
  }
  return false;
}

/**
 * Writers inside streams are through when something of the run has waited for the end of these streams. One that waits
 * for the read cannot come before it, unless there are many reads.
 */
function checkRead(builder: Builder, read: DraftSlot, writers: readonly (readonly DraftSlot[])[]): void {
  const before = reach(builder, [read.id]);
  const inRun = [...before].filter((slot) => itemScopeOf(builder, builder.slots[slot]!.scope) === RUN_SCOPE);
  const through = reach(builder, inRun);
  const isOnce = itemScopeOf(builder, read.scope) === RUN_SCOPE;
  for (const writer of writers[read.cell]!) {
    if (through.has(writer.id) || (isOnce && reach(builder, [writer.id]).has(read.id))) continue;
    throw buildError(
      `read() of cell ${builder.cells[read.cell]!.name} may come before the push of ${writerLabel(builder, writer)}`,
      "name that push, or something after it, in the read's after; or say { allowRace: true }",
      "UnorderedCell",
    );
  }
}

function bothLabel(a: string, b: string): string {
  return a === b ? `two pushes of ${a}` : `the pushes of ${a} and ${b}`;
}

/** A push has no name of its own; the ref that it pushes is what people know. */
function writerLabel(builder: Builder, { anchor, inputs }: DraftSlot): string {
  if (inputs?.type !== "source") return builder.slots[anchor]!.name;
  const { slot, path } = inputs.source;
  const source = builder.slots[slot]!;
  const stream = source.kind === SlotKind.item ? builder.scopes[source.scope]!.stream : -1;
  const name = stream < 0 ? builder.slots[source.anchor]!.name : builder.streams[stream]!.segment;
  return [name, ...path].join(".");
}
