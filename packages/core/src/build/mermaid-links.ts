import { SlotKind, type Plan, type SlotPlan } from "../model/plan.ts";
import { needsOf } from "./needs.ts";

const KIND_NAMES: readonly string[] = Object.keys(SlotKind);
/** What needs no word on an arrow. */
const SILENT: ReadonlySet<number> = new Set([
  SlotKind.record,
  SlotKind.item,
  SlotKind.end,
  SlotKind.taken,
  SlotKind.through,
]);

/** Streams that leave a block come out of its bodies like anything else. */
function isSilent(plan: Plan, { kind, zip, feed }: SlotPlan): boolean {
  if (kind === SlotKind.forward) return zip === null;
  if (kind === SlotKind.feed) return plan.slots[feed!.to]!.zip === null;
  return SILENT.has(kind);
}

/** Arrows between shown slots and cells: ways from one to another through edges, labelled with these. */
export function linksOf(plan: Plan, isShown: (slot: SlotPlan) => boolean): string[] {
  const links = new Set<string>();
  for (const slot of plan.slots) {
    const target = isShown(slot) ? `n${slot.id}` : slot.kind === SlotKind.push ? `c${slot.cell}` : null;
    if (target === null) continue;
    const walk: Walk = { plan, isShown, seen: new Set(), ways: [] };
    for (const { id, after, word } of needsOf(plan, slot)) walkBack(walk, id, word === undefined ? [] : [word], after);
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
  const own = isSilent(walk.plan, slot) ? words : [KIND_NAMES[slot.kind]!, ...words];
  for (const need of needsOf(walk.plan, slot)) {
    const next = need.word === undefined ? own : [need.word, ...own];
    walkBack(walk, need.id, next, after || need.after);
  }
}
