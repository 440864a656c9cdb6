/** The two ends of a state graph, which are no nodes. */

/** Where a turn begins: `edge(START, "plan")` is `entry("plan")`. */
export const START: unique symbol = Symbol.for("millrace.state-graph.start") as never;

/** Where a path ends: `edge("answer", END)`. */
export const END: unique symbol = Symbol.for("millrace.state-graph.end") as never;

/** How the start is called where only texts go: in journals and checkpoints. No node can have this name. */
export const START_NAME = "$start";

/** Where in the supersteps of a state graph something is. */
export interface SuperstepPlace {
  /** Path of the state graph: `agent`, `flow/agent`, or of one that is a node of another, `agent/superstep#1/task[0]/node/inner`. */
  readonly graph: string;
  /** Number of the superstep in this turn. 0 is the input of the turn. */
  readonly index: number;
  /** Name of the node; null: it belongs to no task, as a branch or a breakpoint. */
  readonly node: string | null;
}

const shape = /^(.+)\/superstep#(\d+)\/(?:task\[\d+\]\/node\/([^/]+)|branch|breakpoint)(?:\/|$)/;

/**
 * What the path of a node in a state graph says, as `Observer`s and traces have it; of state graphs in one another, the
 * innermost. Null: it is in none.
 */
export function superstepOf(path: string): SuperstepPlace | null {
  const [, graph, index, node = null] = shape.exec(path) ?? [];
  return graph === undefined ? null : { graph, index: Number(index), node };
}
