import type { Plan, SlotPlan, Template } from "../model/plan.ts";

/** Freezes the tables of a plan, row by row. Users' functions, schemas and constants stay as they are. */
export function freezePlan(plan: Plan): Plan {
  for (const slot of plan.slots) freezeSlot(slot);
  for (const scope of plan.scopes) {
    freezeAll(scope.outer);
    for (const list of [scope.slots, scope.missing, scope.outer, scope.ready]) Object.freeze(list);
    Object.freeze(scope);
  }
  for (const stream of plan.streams) {
    Object.freeze(stream.collectors);
    Object.freeze(stream.lanes);
    Object.freeze(stream);
  }
  Object.freeze(plan.finalizers);
  for (const table of [plan.subgraphs, plan.cells, plan.findings]) freezeAll(table);
  const tables = [
    plan.slots,
    plan.scopes,
    plan.streams,
    plan.subgraphs,
    plan.cells,
    plan.resources,
    plan.contexts,
    plan.elsewhere,
    plan.migrations,
    plan.findings,
  ];
  for (const table of tables) Object.freeze(table);
  return Object.freeze(plan);
}

function freezeSlot(slot: SlotPlan): void {
  freezeAll(slot.dependencies);
  for (const list of [slot.dependencies, slot.consumers, slot.watchers, slot.boundaries]) Object.freeze(list);
  const { arms, ask, block, collect, feed, fedBy, targets, zip } = slot;
  for (const part of [collect, arms, ask, block, feed, fedBy, targets, zip]) if (part !== null) freezeLists(part);
  if (slot.inputs !== null) freezeTemplate(slot.inputs);
  Object.freeze(slot);
}

/** What only some slots have: a record of numbers, texts and lists of them. The user's own values in it stay as they are. */
function freezeLists(part: object): void {
  for (const value of Object.values(part)) if (Array.isArray(value)) Object.freeze(value);
  Object.freeze(part);
}

function freezeAll(rows: readonly object[]): void {
  for (const row of rows) Object.freeze(row);
}

function freezeTemplate(template: Template): void {
  if (Object.isFrozen(template)) return;
  Object.freeze(template);
  if (template.type === "source") {
    Object.freeze(template.source.path);
    Object.freeze(template.source);
  } else if (template.type === "object") {
    Object.freeze(template.keys);
    freezeAll([template.values]);
    template.values.forEach(freezeTemplate);
  } else if (template.type === "array") {
    Object.freeze(template.items);
    template.items.forEach(freezeTemplate);
  }
}
