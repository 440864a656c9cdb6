import type { Plan, SlotPlan } from "../model/plan.ts";

export interface Box {
  readonly label: string;
  readonly slots: SlotPlan[];
  readonly boxes: Map<string, Box>;
}

/**
 * The box of a slot: inside those of the graph calls in its name and of the streams it runs per item of, interleaved
 * from the outside in (a call inside an item, a stream inside a call).
 */
export function boxOf(plan: Plan, root: Box, slot: SlotPlan): Box {
  let box = root;
  let scope = 0;
  for (const call of plan.subgraphs) {
    if (!slot.name.startsWith(`${call.name}/`)) continue;
    box = enterItems(plan, box, scope, call.scope);
    scope = call.scope;
    box = enter(box, `call ${call.name}`, call.name.endsWith(call.graph) ? call.name : `${call.name}: ${call.graph}`);
  }
  return enterItems(plan, box, scope, slot.scope);
}

function enterItems(plan: Plan, from: Box, outer: number, inner: number): Box {
  const segments: string[] = [];
  for (let at = plan.scopes[inner]!; at.id !== outer && at.parent >= 0; at = plan.scopes[at.parent]!)
    if (at.stream >= 0) segments.unshift(plan.streams[at.stream]!.segment);
  let box = from;
  for (const segment of segments) box = enter(box, `items ${segment}`, `each of ${segment}`);
  return box;
}

function enter(box: Box, key: string, label: string): Box {
  let inner = box.boxes.get(key);
  if (inner === undefined) {
    inner = { label, slots: [], boxes: new Map() };
    box.boxes.set(key, inner);
  }
  return inner;
}
