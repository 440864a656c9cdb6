/**
 * What a run has done so far, counted from the Observer port. The model draws nothing and reads no clock but the one
 * it is given; views take a `snapshot` when they want to show something.
 */
import type { Observer } from "@millrace/core";
import type { NodeProgress } from "./node-progress.ts";
/** An op call of the plan; nodes with the same `per` run once for each item of one stream. */
export interface PlannedNode {
  readonly name: string;
  readonly per?: string | undefined;
}
export interface RunProgress {
  readonly runId: string;
  readonly graph: string;
  readonly elapsedMs: number;
  readonly nodes: readonly NodeProgress[];
  /** A generator is still under way: totals may grow. */
  readonly open: boolean;
}
export declare class ProgressModel {
  #private;
  readonly observer: Observer;
  /** Counts the planned nodes, in that order; what happens to others (cells, edges) is nothing to show. */
  constructor(clock: () => number, graph: string, planned: readonly PlannedNode[]);
  /** Raised by every event; a view that saw this version has nothing new to draw. */
  get version(): number;
  snapshot(): RunProgress;
}
