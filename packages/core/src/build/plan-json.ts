import type { NodeJson, PlanJson, StreamJson } from "../model/op.ts";
import { bodyName } from "./body-name.ts";
import { feedersOf } from "./feeders.ts";
import { openerOf } from "./needs.ts";
import { SlotKind, type Plan, type SlotPlan } from "../model/plan.ts";

const KIND_NAMES: readonly string[] = Object.keys(SlotKind);

/** A plan without functions, schemas and tables: what runs, what each part needs, and where. */
export function planJson(plan: Plan): PlanJson {
  const { name, fingerprint, findings } = plan;
  return {
    name,
    fingerprint,
    nodes: plan.slots.map((slot) => nodeJson(plan, slot)),
    streams: plan.streams.map((stream): StreamJson => {
      const { segment, buffer, onFull, source } = stream;
      return { segment, source: nodeId(plan, source), ...perOf(plan, plan.slots[source]!.scope), buffer, onFull };
    }),
    cells: plan.cells.map((cell) => cell.name),
    findings,
  };
}

function nodeJson(plan: Plan, slot: SlotPlan): NodeJson {
  const { op, lane, laneCapacity, ordered } = slot;
  return {
    id: nodeId(plan, slot.id),
    kind: slot.id === plan.output ? "output" : KIND_NAMES[slot.kind]!,
    ...perOf(plan, slot.scope),
    ...bodyOf(plan, slot),
    needs: needsOf(plan, slot),
    ...(op !== null && lane >= 0 && { parallel: laneCapacity }),
    ...(ordered && { ordered }),
    ...(op !== null && { effect: op.effect }),
    ...(op !== null && op.version !== "" && { version: op.version }),
    ...(slot.resources !== null && { resources: slot.resources }),
    ...blockJson(plan, slot),
    ...askJson(slot),
    ...(slot.cell >= 0 && { cell: plan.cells[slot.cell]!.name }),
  };
}

/** The innermost body of a block around it. */
function bodyOf(plan: Plan, slot: SlotPlan): { readonly in?: string } {
  for (let at = plan.scopes[slot.scope]; at !== undefined; at = plan.scopes[at.parent])
    if (at.block >= 0) return { in: bodyName(plan, at) };
  return {};
}

function blockJson(plan: Plan, { kind, block }: SlotPlan): Pick<NodeJson, "arms" | "max" | "timeout"> {
  if (block === null || kind === SlotKind.finalizer) return {};
  if (kind === SlotKind.bounded) return { timeout: block.timeout ?? 0 };
  if (kind === SlotKind.loop) return { max: block.max };
  return { arms: block.scopes.map((scope) => plan.scopes[scope]!.name) };
}

function askJson({ ask }: SlotPlan): Pick<NodeJson, "title" | "timeout"> {
  if (ask === null) return {};
  const { title, timeout } = ask;
  return { ...(title !== "" && { title }), ...(timeout > 0 && { timeout }) };
}

function needsOf(plan: Plan, slot: SlotPlan): string[] {
  const needs = slot.dependencies.map(
    (dependency) => `${dependency.after ? "after: " : ""}${nodeId(plan, dependency.slot)}`,
  );
  if (slot.collect !== null) needs.push(nodeId(plan, slot.collect.watch));
  if (slot.kind === SlotKind.item) needs.push(nodeId(plan, openerOf(plan, slot)));
  for (const id of feedersOf(slot)) if (id >= 0) needs.push(nodeId(plan, id));
  return needs;
}

/** The scoped name, or a number for an edge. */
function nodeId(plan: Plan, slot: number): string {
  const { name } = plan.slots[slot]!;
  return name === "" ? `~${slot}` : name;
}

function perOf(plan: Plan, scope: number): { readonly per?: string } {
  for (let at = plan.scopes[scope]; at !== undefined; at = plan.scopes[at.parent])
    if (at.stream >= 0) return { per: plan.streams[at.stream]!.segment };
  return {};
}
