/** The one module that makes and reads context paths and record addresses. */
import type { At } from "../events/record.ts";
import type { Plan } from "../model/plan.ts";
import type { Context } from "./context.ts";

/**
 * `nightly/listDocs[3]`, `agent/turns#0/think.calls[2]`: the graph's name and a segment per item and iteration around
 * the context. Inside an iteration names are written without the loop's, which is in the path already.
 */
export function contextPath(plan: Plan, context: Context): string {
  return place(plan, context).path;
}

/** `nightly/listDocs[3]/parse`. */
export function nodePath(plan: Plan, context: Context, slot: number): string {
  return pathOf(plan, context, plan.slots[slot]?.name ?? "?");
}

/** The same for a name: of a node, or of a subgraph's call. */
export function pathOf(plan: Plan, context: Context, name: string): string {
  const { path, prefix } = place(plan, context);
  return `${path}/${within(prefix, name)}`;
}

interface Place {
  readonly path: string;
  /** The scoped name of the innermost loop around, and a slash; or empty. */
  readonly prefix: string;
}

function place(plan: Plan, context: Context): Place {
  const { parent, stream, block } = context;
  if (parent === null) return { path: plan.name, prefix: "" };
  const outer = place(plan, parent);
  if (stream !== null)
    return {
      path: `${outer.path}/${within(outer.prefix, stream.plan.segment)}[${context.index}]`,
      prefix: outer.prefix,
    };
  if (context.scope.kind !== "iteration" || block === null) return outer;
  const { name } = block.slot;
  return { path: `${outer.path}/${within(outer.prefix, name)}#${context.index}`, prefix: `${name}/` };
}

/** Everything in an iteration is named under its loop, so that cutting the loop's name off keeps names apart. */
function within(prefix: string, name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** Indices of the items and iterations around, from the outermost inward. */
export function addressOf(context: Context): At {
  if (context.parent === null) return 0;
  const indices: number[] = [];
  for (let at: Context = context; at.parent !== null; at = at.parent)
    if (at.scope.kind !== "arm") indices.push(at.index);
  return indices.length === 0 ? 0 : indices.reverse();
}
