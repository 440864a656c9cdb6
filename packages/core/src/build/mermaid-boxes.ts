import { SlotKind, type Plan, type ScopePlan, type SlotPlan } from "../model/plan.ts";
import { bodyName } from "./body-name.ts";

export interface Box {
  readonly label: string;
  /** The body of a block, or -1: items, or a graph call. */
  readonly body: number;
  readonly slots: SlotPlan[];
  readonly boxes: Map<string, Box>;
}

/**
 * The box of a slot: inside those of the graph calls in its name, of the streams it runs per item of and of the bodies of
 * blocks, interleaved from the outside in (a call inside an item, a stream inside a call, a call inside an arm).
 */
export function boxOf(plan: Plan, root: Box, slot: SlotPlan): Box {
  let box = root;
  let scope = 0;
  for (const call of plan.subgraphs) {
    if (!slot.name.startsWith(`${call.name}/`)) continue;
    box = enterScopes(plan, box, scope, call.scope);
    scope = call.scope;
    box = enter(box, `call ${call.name}`, call.name.endsWith(call.graph) ? call.name : `${call.name}: ${call.graph}`);
  }
  return enterScopes(plan, box, scope, slot.scope);
}

function enterScopes(plan: Plan, from: Box, outer: number, inner: number): Box {
  const around: ScopePlan[] = [];
  for (let at = plan.scopes[inner]!; at.id !== outer && at.parent >= 0; at = plan.scopes[at.parent]!)
    around.unshift(at);
  let box = from;
  for (const scope of around) {
    const segment = scope.stream < 0 ? "" : plan.streams[scope.stream]!.segment;
    if (scope.stream >= 0) box = enter(box, `items ${segment}`, `each of ${segment}`);
    else if (plan.slots[scope.block]!.kind !== SlotKind.bounded)
      // (Calls have their box anyway.)
      box = enter(box, `body ${scope.id}`, bodyName(plan, scope), scope.id);
  }
  return box;
}

function enter(box: Box, key: string, label: string, body = -1): Box {
  let inner = box.boxes.get(key);
  if (inner === undefined) {
    inner = { label, body, slots: [], boxes: new Map() };
    box.boxes.set(key, inner);
  }
  return inner;
}
