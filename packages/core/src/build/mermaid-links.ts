import { SlotKind, type Plan, type SlotPlan } from "../model/plan.ts";
import { feedersOf } from "./feeders.ts";

const KIND_NAMES: readonly string[] = Object.keys(SlotKind);
/** What needs no word on an arrow. */
const SILENT: ReadonlySet<number> = new Set([
  SlotKind.record,
  SlotKind.item,
  SlotKind.end,
  SlotKind.taken,
  SlotKind.through,
]);

/** What opens the scope that `slot` is given a value in: the source of the stream, or the block. */
export function openerOf(plan: Plan, slot: SlotPlan): number {
  const { stream, block } = plan.scopes[slot.scope]!;
  return stream >= 0 ? plan.streams[stream]!.source : block;
}

/** Arrows between shown slots and cells: ways from one to another through edges, labelled with these. */
export function linksOf(plan: Plan, isShown: (slot: SlotPlan) => boolean): string[] {
  const links = new Set<string>();
  for (const slot of plan.slots) {
    const target = isShown(slot) ? `n${slot.id}` : slot.kind === SlotKind.push ? `c${slot.cell}` : null;
    if (target === null) continue;
    const walk: Walk = { plan, isShown, seen: new Set(), ways: [] };
    for (const { id, after } of neededBy(plan, slot)) walkBack(walk, id, [], after);
    for (const { from, words, after } of walk.ways) links.add(arrow(from, target, words, after));
  }
  return [...links];
}

function arrow(from: string, to: string, words: readonly string[], after: boolean): string {
  const label = words.length === 0 ? "" : `|${words.join(", ")}|`;
  return after ? `${from} -.->${label || "|after|"} ${to}` : `${from} -->${label} ${to}`;
}

interface Way {
  readonly from: string;
  readonly words: readonly string[];
  readonly after: boolean;
}

interface Walk {
  readonly plan: Plan;
  readonly isShown: (slot: SlotPlan) => boolean;
  /** Edges fan in and out, so there may be more ways than anyone could draw: each edge is passed once. */
  readonly seen: Set<number>;
  readonly ways: Way[];
}

/** From an edge to what is shown. A read is drawn from its cell. */
function walkBack(walk: Walk, id: number, words: readonly string[], after: boolean): void {
  const slot = walk.plan.slots[id]!;
  if (walk.isShown(slot)) return void walk.ways.push({ from: `n${id}`, words, after });
  if (walk.seen.has(id)) return;
  walk.seen.add(id);
  if (slot.kind === SlotKind.read || slot.kind === SlotKind.push)
    return void walk.ways.push({ from: `c${slot.cell}`, words, after });
  const next = SILENT.has(slot.kind) ? words : [KIND_NAMES[slot.kind]!, ...words];
  for (const need of neededBy(walk.plan, slot)) walkBack(walk, need.id, next, after || need.after);
}

function neededBy(plan: Plan, slot: SlotPlan): { readonly id: number; readonly after: boolean }[] {
  const needs = slot.dependencies.map((dependency) => ({ id: dependency.slot, after: dependency.after }));
  if (slot.collect !== null) needs.push({ id: slot.collect.watch, after: false });
  if (slot.kind === SlotKind.item) needs.push({ id: openerOf(plan, slot), after: false });
  for (const id of feedersOf(slot)) needs.push({ id, after: false });
  return needs;
}
