import { buildError } from "../base/error.ts";
import type { Runnable } from "../model/op.ts";
import type { Plan } from "../model/plan.ts";
import { buildGraph, buildOp } from "./build-graph.ts";
import { definitionOf } from "./definition.ts";

/** The plan that an engine runs: a graph's own, or one of a single node for an op. */
export function planOf(runnable: Runnable<never, unknown>): Plan {
  const definition = definitionOf(runnable);
  if (definition === undefined)
    throw buildError("this is neither an op nor a graph", "pass what op() or graph() returned");
  definition.plan ??= definition.type === "op" ? buildOp(definition) : buildGraph(definition);
  return definition.plan;
}
