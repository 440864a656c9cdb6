/**
 * Does the order of events show in the outcome? A graph is **order-free** when
 *
 * O1  no item is ever dropped, no op has a time limit, no failure ends the run (`errors: "record"`, no `onFailure:
 *     "raise"`), no cell folds differently in another order, every read of a cell is after all of its pushes, nothing
 *     races, no op is unsafe, and no block decides by something that is not the same in every run;
 * O2  no slot can have two inputs that are broken for different reasons, and no subgraph two such outputs: the cause
 *     that everybody is told of would be the one that came first;
 * O3  in the body of a fallback at most one slot can fail, and once at most, and no cell is pushed to: a failure sweeps
 *     whatever has not happened yet;
 * O4  nothing that the parts of a zip are made of can fail: whichever part is over first ends the zip, and with it the makers
 *     of the others, whatever would have become of them.
 *
 * Then the output of two runs is equal, and so are the nodes that failed and how often; which item of a node failed
 * first, and so the path and message of its entry, may still differ.
 */
import { feedersOf } from "../../build/feeders.ts";
import { reach } from "../../build/reach.ts";
import { SlotKind, type Plan, type SlotPlan, type Template } from "../../model/plan.ts";
import type { CaseParts } from "./case.ts";

export function isOrderFree(plan: Plan, parts: CaseParts, errors: "record" | "raise"): boolean {
  return (
    !parts.racy &&
    errors === "record" &&
    hasOneCauseEach(plan, parts) &&
    sweepsNothing(plan, parts) &&
    zipsWhatIsSure(plan, parts)
  );
}

/** O2. A cause is named by the slot it comes from; a collector picks one of its own accord, the first in yield order. */
function hasOneCauseEach(plan: Plan, parts: CaseParts): boolean {
  const causes: ReadonlySet<string>[] = [];
  const causesOf = (ids: readonly number[]): ReadonlySet<string>[] => ids.map((id) => causes[id] ?? new Set());
  for (const slot of plan.slots) {
    const inputs = causesOf(inputsOf(plan, slot));
    // Of what a block's places left, the block itself says which counts.
    const all = new Set([...inputs, ...causesOf(feedersOf(slot))].flatMap((of) => [...of]));
    if (canFail(slot, plan, parts) || (slot.kind === SlotKind.fallback && all.size > 0)) all.add(`slot ${slot.id}`);
    if (slot.collect === null && differ(inputs)) return false;
    causes.push(slot.collect !== null && all.size > 0 ? new Set([`collector ${slot.id}`]) : all);
  }
  const outputs = (index: number): number[] =>
    plan.slots.filter((slot) => slot.boundaries.includes(index)).map(({ id }) => id);
  return plan.subgraphs.every((_, index) => !differ(causesOf(outputs(index))));
}

/** O3 */
function sweepsNothing(plan: Plan, parts: CaseParts): boolean {
  return plan.slots.every((fallback) => {
    if (fallback.kind !== SlotKind.fallback) return true;
    const body = plan.slots.filter(({ scope }) => isInBody(plan, scope, fallback.id));
    const failing = body.filter((slot) => canFail(slot, plan, parts));
    return (
      failing.length === 0 ||
      (failing.length === 1 &&
        !failing.some(({ scope }) => isMany(plan, scope, fallback.id)) &&
        !body.some(({ kind }) => kind === SlotKind.push))
    );
  });
}

/** O4 */
function zipsWhatIsSure(plan: Plan, parts: CaseParts): boolean {
  const watched = plan.slots.flatMap(({ zip, fedBy }) => (zip === null ? [] : (fedBy ?? [])));
  return [...reach(plan, watched)].every((id) => !canFail(plan.slots[id] as SlotPlan, plan, parts));
}

function isInBody(plan: Plan, scope: number, fallback: number): boolean {
  for (let at = plan.scopes[scope]; at !== undefined; at = plan.scopes[at.parent])
    if (at.block === fallback) return at.arm === 0;
  return false;
}

/** There are items between the slot and the fallback. */
function isMany(plan: Plan, scope: number, fallback: number): boolean {
  for (let at = plan.scopes[scope]; at !== undefined && at.block !== fallback; at = plan.scopes[at.parent])
    if (at.kind === "item") return true;
  return false;
}

function inputsOf(plan: Plan, { collect, dependencies }: SlotPlan): number[] {
  if (collect === null) return dependencies.map((dependency) => dependency.slot);
  return [collect.watch, plan.streams[collect.stream]?.source ?? 0];
}

function differ(inputs: readonly ReadonlySet<string>[]): boolean {
  const broken = inputs.filter((of) => of.size > 0);
  return broken.length > 1 && new Set(broken.flatMap((of) => [...of])).size > 1;
}

function canFail(slot: SlotPlan, plan: Plan, parts: CaseParts): boolean {
  if (slot.zip?.uneven === "fail" || isMadeToFail(slot, parts)) return true;
  if (slot.kind === SlotKind.push && plan.cells[slot.cell]?.name.endsWith("picky") === true) return true;
  if (slot.inputs === null) return false;
  return (
    readsLacking(slot.inputs, plan, parts.lacking) || (parts.partial.has(slot.fn) && readsBlock(slot.inputs, plan))
  );
}

function isMadeToFail(slot: SlotPlan, { mayFail }: CaseParts): boolean {
  if (mayFail.has(slot.fn) || mayFail.has(slot.op?.name)) return true;
  return isKnownByName(slot) && mayFail.has(slot.name.split("/").at(-1));
}

/** Blocks are, by the last part of it. */
function isKnownByName({ op, name }: SlotPlan): boolean {
  return op === null && name !== "";
}

/** Reads what a block left, which may be nothing; at a distance too, through items and other edges. */
function readsBlock(template: Template, plan: Plan): boolean {
  if (template.type === "object") return template.values.some((value) => readsBlock(value, plan));
  if (template.type === "array") return template.items.some((item) => readsBlock(item, plan));
  if (template.type === "constant") return false;
  const { kind } = plan.slots[template.source.slot] as SlotPlan;
  return kind !== SlotKind.op && kind !== SlotKind.input;
}

/** Reads a key that an op does not give. */
function readsLacking(template: Template, plan: Plan, lacking: ReadonlySet<string>): boolean {
  if (template.type === "object") return template.values.some((value) => readsLacking(value, plan, lacking));
  if (template.type === "array") return template.items.some((item) => readsLacking(item, plan, lacking));
  if (template.type === "constant" || template.source.path[0] !== "list") return false;
  const anchor = plan.slots[plan.slots[template.source.slot]?.anchor ?? 0];
  return lacking.has(anchor?.op?.name ?? "");
}
