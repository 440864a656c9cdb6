/**
 * Graphs and ops told by their shape: the user's module may have loaded another copy of the package than the command
 * line runs on, and `instanceof` would then deny what is plainly a graph.
 */
import type { Graph } from "@millrace/core";
import type { PlannedNode } from "../progress/model.ts";
export type AnyGraph = Graph<never, unknown>;
export declare function isGraph(value: unknown): value is AnyGraph;
export declare function isOp(value: unknown): boolean;
/** The op calls of a graph in the order of the plan, each with the stream whose items it runs for. */
export declare function opNodes(graph: Pick<AnyGraph, "plan">): PlannedNode[];
