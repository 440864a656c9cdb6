/** The two ends of a state graph, which are no nodes. */

/** Where a turn begins: `edge(START, "plan")` is `entry("plan")`. */
export const START: unique symbol = Symbol.for("millrace.state-graph.start") as never;

/** Where a path ends: `edge("answer", END)`. */
export const END: unique symbol = Symbol.for("millrace.state-graph.end") as never;

/** How the start is called where only texts go: in journals and checkpoints. No node can have this name. */
export const START_NAME = "$start";
