/** The one module that makes and reads context paths and record addresses. */
import type { At } from "../events/record.ts";
import type { Plan } from "../model/plan.ts";
import type { Context } from "./context.ts";

/** `nightly/listDocs[3]`: the graph's name and a segment per stream around the context. */
export function contextPath(plan: Plan, context: Context): string {
  let path = "";
  for (let at: Context | null = context; at !== null; at = at.parent) {
    if (at.stream !== null) path = `/${at.stream.plan.segment}[${at.index}]${path}`;
  }
  return plan.name + path;
}

/** `nightly/listDocs[3]/parse`. */
export function nodePath(plan: Plan, context: Context, slot: number): string {
  return `${contextPath(plan, context)}/${plan.slots[slot]?.name ?? "?"}`;
}

/** Item indices from the outermost stream inward. */
export function addressOf(context: Context): At {
  if (context.parent === null) return 0;
  const indices: number[] = [];
  for (let at: Context = context; at.parent !== null; at = at.parent) indices.push(at.index);
  return indices.reverse();
}
