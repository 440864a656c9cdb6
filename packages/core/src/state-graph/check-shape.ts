/** What `compile` refuses, each with a code of its own. */
import { errorOf, type MillraceError } from "../base/error.ts";
import { START_NAME } from "./names.ts";
import type { GraphShape } from "./shape.ts";

/**
 * @throws MillraceError `NoNodes`, `NodeMissing`, `UndeclaredNode`, `NoEntry`, `DanglingEdge`, `UnreachableNode`, `NoExit`,
 * `EmptyJoin`
 */
export function checkShape(shape: GraphShape, declared: readonly string[]): void {
  const { name: graph, nodes } = shape;
  if (nodes.size === 0) throw errorOf("NoNodes", { graph });
  for (const node of declared) if (!nodes.has(node)) throw errorOf("NodeMissing", { graph, node });
  for (const node of nodes.keys()) if (!declared.includes(node)) throw errorOf("UndeclaredNode", { graph, node });
  checkEnds(shape);
  if (!shape.edges.has(START_NAME) && !shape.branches.has(START_NAME)) throw errorOf("NoEntry", { graph });
  const reached = reachable(shape);
  for (const node of nodes.keys()) if (!reached.has(node)) throw errorOf("UnreachableNode", { graph, node });
  if (![...reached].some((node) => mayEnd(shape, node))) throw errorOf("NoExit", { graph });
}

/** Every edge, join, branch, list of targets and breakpoint names nodes that are there. */
function checkEnds(shape: GraphShape): void {
  const { joins, nodes, name: graph } = shape;
  if (shape.edges.get(START_NAME)?.includes(null) === true) throw errorOf("NoEntry.end", { graph });
  const empty = joins.find(({ from }) => from.length === 0);
  if (empty !== undefined) throw errorOf("EmptyJoin", { graph, to: empty.to });
  checkAll(shape, [...shape.edges]);
  checkAll(
    shape,
    joins.flatMap(({ from, to }) => from.map((source): Leads => [source, [to]])),
  );
  checkAll(
    shape,
    [...shape.branches.values()].flat().map(({ from, targets }) => [from, targets ?? [null]]),
  );
  checkAll(
    shape,
    [...nodes.values()].map(({ name, routed }) => [name, routed ?? []]),
  );
  checkAll(
    shape,
    [...shape.pauseBefore, ...shape.pauseAfter].map((node) => [node, [null]]),
  );
}

/** A source and where it may lead. */
type Leads = readonly [from: string, targets: readonly (string | null)[]];

function checkAll(shape: GraphShape, all: readonly Leads[]): void {
  for (const [from, targets] of all) for (const to of targets) checkEdge(shape, from, to);
}

function checkEdge(shape: GraphShape, from: string, to: string | null): void {
  if (from !== START_NAME && !shape.nodes.has(from)) throw dangling(shape, from, from, to);
  if (to !== null && !shape.nodes.has(to)) throw dangling(shape, to, from, to);
}

function dangling(shape: GraphShape, node: string, from: string, to: string | null): MillraceError {
  const nodes = [...shape.nodes.keys()].join(", ");
  const edge =
    from === START_NAME
      ? "an entry"
      : to === null
        ? `a branch or breakpoint of ${from}`
        : `the edge from ${from} to ${to}`;
  return errorOf("DanglingEdge", { graph: shape.name, node, edge, nodes });
}

/** A branch that does not say where it may lead may lead anywhere. */
function reachable(shape: GraphShape): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [START_NAME];
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    const branches = shape.branches.get(from) ?? [];
    if (branches.some(({ targets }) => targets === null)) return new Set(shape.nodes.keys());
    for (const to of leadsTo(shape, from))
      if (!reached.has(to)) {
        reached.add(to);
        open.push(to);
      }
  }
  return reached;
}

function leadsTo(shape: GraphShape, from: string): readonly string[] {
  const edges = shape.edges.get(from) ?? [];
  const joins = shape.joins.filter((join) => join.from.includes(from)).map(({ to }) => to);
  const branches = (shape.branches.get(from) ?? []).flatMap(({ targets }) => targets ?? []);
  const routed = shape.nodes.get(from)?.routed ?? [];
  return [...edges, ...joins, ...branches, ...routed].filter((to) => to !== null);
}

/** Whether a path may end behind this node. */
function mayEnd(shape: GraphShape, node: string): boolean {
  const edges = shape.edges.get(node) ?? [];
  const branches = shape.branches.get(node) ?? [];
  const routed = shape.nodes.get(node)?.routed ?? null;
  const leads = leadsTo(shape, node);
  if (leads.length === 0) return true;
  if (edges.includes(null) || routed?.includes(null) === true) return true;
  return branches.some(({ targets }) => targets === null || targets.includes(null));
}
