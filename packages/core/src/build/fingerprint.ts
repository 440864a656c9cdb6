import type { CellPlan, Template } from "../model/plan.ts";
import type { Builder, DraftSlot } from "./builder.ts";
import { systemSha256 } from "../ports/system.ts";

/**
 * The identity of a graph's structure: names, edges, kinds, versions, effect, onResume, parallel, buffer, onFull.
 * Policies, schemas, constants and source text are left out, so that changing them keeps running runs valid; so is the
 * order of keys. Slot numbers are in, because journals name nodes by them.
 */
export function fingerprintOf(builder: Builder): string {
  const { graph, scopes, slots, streams, subgraphs, cells } = builder;
  const structure = [
    1,
    graph,
    scopes.map(({ parent, stream, block, arm }) => (block < 0 ? [parent, stream] : [parent, stream, block, arm])),
    slots.map(slotStructure),
    streams.map(({ source, itemScope, segment, buffer, onFull }) => [source, itemScope, segment, buffer, onFull]),
    subgraphs.map(({ name, graph: called, scope }) => [name, called, scope]),
    cells.map(cellStructure),
  ];
  return `sha256:${systemSha256(JSON.stringify(structure))}`;
}

function cellStructure({ name, carry, version }: CellPlan): unknown {
  if (version !== "") return [name, carry ? "carry" : "", version];
  return carry ? [name, "carry"] : name;
}

function slotStructure({
  kind,
  scope,
  name,
  inputs,
  dependencies,
  op,
  collect,
  cell,
  block,
  arms,
  targets,
  feed,
  zip,
  overwrites,
  laneCapacity,
  ordered,
}: DraftSlot): unknown[] {
  return [
    kind,
    scope,
    name,
    inputs === null ? 0 : edges(inputs),
    dependencies
      .filter(({ after }) => after)
      .map(({ slot }) => slot)
      .toSorted(ascending),
    op === null ? 0 : [op.effect, op.version, op.onResume],
    collect === null ? 0 : [collect.stream, collect.watch, collect.errors],
    cell,
    laneCapacity,
    ordered ? 1 : 0,
    ...(block === null ? [] : [[block.results, block.max === Infinity ? 0 : block.max, block.onLimit]]),
    ...(arms === null ? [] : [arms]),
    ...(targets === null ? [] : [targets]),
    ...(feed === null ? [] : [[feed.to, feed.part]]),
    ...(zip === null ? [] : [[zip.keys, zip.uneven]]),
    ...(overwrites ? ["overwrites"] : []),
  ];
}

/** Constants count as one: their values are the author's to change. */
function edges(template: Template): unknown {
  switch (template.type) {
    case "constant":
      return 0;
    case "source":
      return [template.source.slot, ...template.source.path];
    case "array":
      return [-1, ...template.items.map(edges)];
    case "object":
      return [-2, ...sortedFields(template.keys, template.values)];
  }
}

function sortedFields(keys: readonly string[], values: readonly Template[]): unknown[] {
  // Compared by code units, not by locale, so that every machine sorts alike.
  const order = keys.map((_, i) => i).toSorted((a, b) => (keys[a]! < keys[b]! ? -1 : 1));
  return order.map((i) => [keys[i], edges(values[i]!)]);
}

function ascending(a: number, b: number): number {
  return a - b;
}
