/** What a slot takes values from, for whoever draws or lists it. */
import { SlotKind, type Plan, type ScopePlan, type SlotPlan } from "../model/plan.ts";

export interface Need {
  readonly id: number;
  readonly after: boolean;
  /** How it comes in or out of the body of a block: `then`, `handler`, `state`, `until`. */
  readonly word?: string;
}

/** What opens the scope that `slot` is given a value in: the source of the stream, or the block. */
export function openerOf(plan: Plan, slot: SlotPlan): number {
  const { stream, block } = plan.scopes[slot.scope]!;
  return stream >= 0 ? plan.streams[stream]!.source : block;
}

export function needsOf(plan: Plan, slot: SlotPlan): Need[] {
  const needs: Need[] = slot.dependencies.map((dependency) => ({ id: dependency.slot, after: dependency.after }));
  if (slot.collect !== null) needs.push({ id: slot.collect.watch, after: false });
  if (slot.kind === SlotKind.item) needs.push(given(plan, slot));
  if (slot.block !== null) needs.push(...results(plan, slot));
  else if (slot.fedBy !== null) needs.push(...fed(plan, slot.fedBy));
  else if (slot.arms !== null) needs.push(...taken(plan, slot.arms));
  return needs;
}

/** An item of a stream, the state of an iteration, the error of a handler, the end that a finalizer is told. */
function given(plan: Plan, slot: SlotPlan): Need {
  const need = { id: openerOf(plan, slot), after: false };
  const { kind, stream, block } = plan.scopes[slot.scope]!;
  if (stream >= 0) return need;
  const word = kind === "iteration" ? "state" : plan.slots[block]!.kind === SlotKind.fallback ? "error" : "end";
  return { ...need, word };
}

const LOOP_RESULTS = ["until", "next", "result"];

function results(plan: Plan, { kind, block }: SlotPlan): Need[] {
  const { results, scopes } = block!;
  return results.flatMap((id, i) => {
    if (id < 0 || results.indexOf(id) !== i) return [];
    const word = kind === SlotKind.loop ? LOOP_RESULTS[i]! : plan.scopes[scopes[i]!]!.name;
    return [{ id, after: false, word }];
  });
}

/** The parts of a zip, or what comes out of the bodies of a block; the block itself adds nothing to that. */
function fed(plan: Plan, feeds: readonly number[]): Need[] {
  return feeds
    .filter((id) => plan.slots[id]!.block === null)
    .map((id) => ({ id, after: false, ...armOf(plan.scopes[plan.slots[id]!.scope]!) }));
}

function armOf({ kind, name }: ScopePlan): { readonly word?: string } {
  return kind === "arm" ? wordOf(name) : {};
}

/** What comes out of a call with a limit is drawn as that of any other. */
function wordOf(name: string): { readonly word?: string } {
  return name === "" ? {} : { word: name };
}

/** What the arms left; an arm that needs nothing for it says what it says as soon as the block has decided. */
function taken(plan: Plan, { block, from }: NonNullable<SlotPlan["arms"]>): Need[] {
  const { scopes } = plan.slots[block]!.block!;
  if (from.length === 0) return [{ id: block, after: false }];
  return from.map((id, arm) => {
    const { name } = plan.scopes[scopes[arm]!]!;
    return { id: id < 0 || plan.slots[id]!.dependencies.length === 0 ? block : id, after: false, ...wordOf(name) };
  });
}
