/**
 * The constants of a graph, by number: every run is given the same objects, so a snapshot names them instead of keeping
 * copies, whatever they are. The fingerprint says nothing of constants: a snapshot is not used with others of another shape.
 */
import type { Plan, Template } from "../../model/plan.ts";
import { systemSha256 } from "../../ports/system.ts";

export interface Constants {
  readonly all: readonly object[];
  readonly numbers: ReadonlyMap<object, number>;
  /** What they are made of: numbers mean the same where this is the same. */
  readonly shape: string;
}

const known = new WeakMap<Plan, Constants>();

export function constantsOf(plan: Plan): Constants {
  let constants = known.get(plan);
  if (constants === undefined) {
    const numbers = new Map<object, number>();
    for (const { inputs } of plan.slots) if (inputs !== null) inTemplate(inputs, numbers);
    const all = [...numbers.keys()];
    constants = { all, numbers, shape: all.length === 0 ? "" : systemSha256(all.map(shapeOf).join("\n")).slice(0, 16) };
    known.set(plan, constants);
  }
  return constants;
}

function shapeOf(constant: object): string {
  if (typeof constant === "function") return "function";
  return Array.isArray(constant) ? `${constant.length}` : JSON.stringify(Object.keys(constant));
}

function inTemplate(template: Template, found: Map<object, number>): void {
  if (template.type === "constant") inValue(template.value, found);
  else if (template.type === "object") for (const value of template.values) inTemplate(value, found);
  else if (template.type === "array") for (const item of template.items) inTemplate(item, found);
}

/** Parts of plain data too: one item of a constant list is a value by itself. */
function inValue(value: unknown, found: Map<object, number>): void {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || found.has(value)) return;
  found.set(value, found.size);
  if (Array.isArray(value)) for (const element of value) inValue(element, found);
  else if (Object.getPrototypeOf(value) === Object.prototype)
    for (const part of Object.values(value)) inValue(part, found);
}
