/**
 * Graphs and ops told by their shape: the user's module may have loaded another copy of the package than the command
 * line runs on, and `instanceof` would then deny what is plainly a graph.
 */
import type { Graph } from "@millrace/core";
import type { PlannedNode } from "../progress/model.ts";

export type AnyGraph = Graph<never, unknown>;

export function isGraph(value: unknown): value is AnyGraph {
  if (typeof value !== "function" && (typeof value !== "object" || value === null)) return false;
  const { plan } = value as { readonly plan?: unknown };
  if (typeof plan !== "object" || plan === null) return false;
  return typeof (plan as { readonly fingerprint?: unknown }).fingerprint === "string";
}

export function isOp(value: unknown): boolean {
  return (
    typeof value === "function" && typeof (value as { readonly fn?: unknown }).fn === "function" && !isGraph(value)
  );
}

/** What takes its time. */
const slow = new Set(["op", "ask", "sleep"]);

/** The ops, questions and sleeps of a graph in the order of the plan, each with the stream whose items it runs for. */
export function slowNodes(graph: Pick<AnyGraph, "plan">): PlannedNode[] {
  return graph.plan
    .toJSON()
    .nodes.filter((node) => slow.has(node.kind))
    .map((node) => ({ name: node.id, per: node.per }));
}

/** What the questions of a graph are called for people, by node: the journal knows their nodes only. */
export function questionTitles(graph: Pick<AnyGraph, "plan">): ReadonlyMap<string, string> {
  const { nodes } = graph.plan.toJSON();
  return new Map(nodes.flatMap(({ id, title }) => (title === undefined ? [] : [[id, title] as const])));
}
