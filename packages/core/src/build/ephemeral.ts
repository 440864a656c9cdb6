/**
 * Items of ephemeral generators are not recorded, and what is done with them runs again after a crash: only what is pure may
 * take them, and what is emitted is told again. Collect, reduce and `after` give what is kept.
 */
import { buildError } from "../base/error.ts";
import { SlotKind } from "../model/plan.ts";
import type { Builder, DraftSlot } from "./builder.ts";

/** By kind, what refused nodes do that cannot be done twice, or not be recorded. */
const refused: Partial<Readonly<Record<SlotKind, string>>> = {
  [SlotKind.push]: "pushes into a cell",
  [SlotKind.read]: "reads a cell",
  [SlotKind.ask]: "asks the outside",
  [SlotKind.sleep]: "waits for a time",
  [SlotKind.sweep]: "sweeps",
};

/** Marks scopes and streams, once all closures are where they belong. */
export function markEphemeral(builder: Builder): void {
  for (const stream of builder.streams)
    stream.ephemeral =
      builder.slots[stream.source]!.op?.onResume === "ephemeral" && !isInEphemeral(builder, stream.source);
  for (const scope of builder.scopes) scope.ephemeral = ephemeralAround(builder, scope.id);
  for (const slot of builder.slots) refuse(builder, slot);
}

function isInEphemeral(builder: Builder, slot: number): boolean {
  return ephemeralStreamAround(builder, builder.slots[slot]!.scope) >= 0;
}

/** The outermost such stream that the scope is among the items of. */
function ephemeralStreamAround(builder: Builder, scope: number): number {
  let found = -1;
  for (let at = builder.scopes[scope]; at !== undefined; at = builder.scopes[at.parent]) {
    const source = at.stream < 0 ? undefined : builder.slots[builder.streams[at.stream]!.source];
    if (source?.op?.onResume === "ephemeral") found = at.stream;
  }
  return found;
}

function ephemeralAround(builder: Builder, scope: number): number {
  return ephemeralStreamAround(builder, scope);
}

function refuse(builder: Builder, slot: DraftSlot): void {
  const { ephemeral } = builder.scopes[slot.scope]!;
  const takes = slot.collect === null ? undefined : builder.streams[slot.collect.stream];
  // A feed takes items further out, or into a zip.
  const leaves = slot.kind === SlotKind.feed && (takes?.ephemeral === true || leavesItems(builder, slot));
  if (ephemeral < 0 && !leaves) return;
  const stream = builder.streams[leaves && takes?.ephemeral === true ? takes.id : ephemeral]!;
  const what = leaves ? passesOn(builder, slot) : refusedFor(slot);
  if (what === null) return;
  throw buildError(
    `${labelOf(builder, slot)} ${what}, and takes items of ${stream.segment}, whose onResume is "ephemeral"`,
    'items that are not recorded may go to pure ops, emit, collect and reduce: declare effect: "pure", collect or reduce them first, or leave onResume out',
    "Ephemeral",
  );
}

function leavesItems(builder: Builder, { feed, scope }: DraftSlot): boolean {
  const { ephemeral } = builder.scopes[scope]!;
  return ephemeral >= 0 && builder.scopes[builder.slots[feed!.to]!.scope]!.ephemeral !== ephemeral;
}

function passesOn(builder: Builder, { feed }: DraftSlot): string {
  return builder.slots[feed!.to]!.zip === null ? "lets them leave a block" : "pairs them with others";
}

function refusedFor({ kind, op }: DraftSlot): string | null {
  if (op === null) return refused[kind] ?? null;
  if (op.live !== undefined) return "is a live input";
  return op.effect === "pure" ? null : "is not declared pure";
}

function labelOf(builder: Builder, slot: DraftSlot): string {
  if (slot.name !== "") return `"${slot.name}"`;
  const { name } = builder.slots[slot.anchor]!;
  return slot.kind === SlotKind.feed ? `the result that "${name}" is part of` : `an edge of "${name}"`;
}
