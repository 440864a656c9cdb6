import { SlotKind, type Finding } from "../model/plan.ts";
import type { Builder, DraftSlot } from "./builder.ts";
import { feedersOf } from "./feeders.ts";
import { blockFindings } from "./findings-of-blocks.ts";

/** What is worth knowing about a graph that is not wrong. Ops that nobody reads are none: they are run for their effect. */
export function findingsOf(builder: Builder): Finding[] {
  return [
    ...unreadStreams(builder),
    ...droppedFromCollects(builder),
    ...keptTransients(builder),
    ...unreadEdges(builder),
    ...unwrittenCells(builder),
    ...blockFindings(builder),
  ];
}

function unreadStreams(builder: Builder): Finding[] {
  return builder.streams
    .filter(({ collectors, itemScope }) => collectors.length === 0 && builder.scopes[itemScope]!.slots.length === 1)
    .map(({ source, segment }) =>
      finding("info", "UnreadStream", nodeOf(builder, source), `nothing reads the items of ${segment}`),
    );
}

function droppedFromCollects(builder: Builder): Finding[] {
  return builder.streams
    .filter(
      ({ onFull, collectors }) =>
        onFull === "dropOldest" && collectors.some((slot) => builder.slots[slot]!.kind !== SlotKind.end),
    )
    .map(({ source, segment }) =>
      finding(
        "warning",
        "DroppedItems",
        nodeOf(builder, source),
        `${segment} drops items when it is full; its collects and reduces lack them`,
      ),
    );
}

function keptTransients(builder: Builder): Finding[] {
  return builder.streams
    .filter(({ source }) => builder.slots[source]!.op?.transient === true)
    .filter(({ collectors }) => collectors.some((slot) => builder.slots[slot]!.kind === SlotKind.collect))
    .map(({ source, segment }) =>
      finding(
        "warning",
        "TransientKept",
        nodeOf(builder, source),
        `${segment} is transient, and a collect or the graph's output keeps all its items; a reduce would not`,
      ),
    );
}

const COMPUTING: ReadonlySet<number> = new Set([
  SlotKind.derive,
  SlotKind.orElse,
  SlotKind.filter,
  SlotKind.present,
  SlotKind.collect,
  SlotKind.reduce,
]);

function unreadEdges(builder: Builder): Finding[] {
  const read = new Set(
    builder.slots.flatMap((slot) => [...slot.dependencies.map((each) => each.slot), ...feedersOf(slot)]),
  );
  return builder.slots
    .filter(
      (slot) =>
        COMPUTING.has(slot.kind) && !read.has(slot.id) && slot.watchers.length === 0 && slot.boundaries.length === 0,
    )
    .map((slot) =>
      finding("info", "UnreadValue", nodeOf(builder, slot.id), `nothing reads ${edgeLabel(builder, slot)}`),
    );
}

function unwrittenCells(builder: Builder): Finding[] {
  const written = new Set(builder.slots.filter(({ kind }) => kind === SlotKind.push).map(({ cell }) => cell));
  return builder.cells
    .filter((_, id) => !written.has(id))
    .map(({ name }) =>
      finding("warning", "UnwrittenCell", name, `nothing is pushed into cell ${name}; it keeps its initial value`),
    );
}

const KIND_NAMES: readonly string[] = Object.keys(SlotKind);

/** `the reduce total`, `a derive of fetch`. */
function edgeLabel(builder: Builder, slot: DraftSlot): string {
  const kind = KIND_NAMES[slot.kind]!;
  return slot.name === "" ? `a ${kind} of ${nodeOf(builder, slot.id)}` : `${kind} ${slot.name}`;
}

function nodeOf(builder: Builder, slot: number): string {
  return builder.slots[builder.slots[slot]!.anchor]!.name;
}

function finding(level: Finding["level"], code: Finding["code"], node: string, message: string): Finding {
  return { level, code, node, message };
}
