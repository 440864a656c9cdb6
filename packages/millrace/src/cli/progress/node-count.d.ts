import type { NodeProgress } from "./node-progress.ts";
/**
 * What is counted of one node.
 *
 * P1  Settled, in flight and retrying never exceed the total.
 * P2  An invocation is counted once, however often a crash or a retry started it: what is under way is kept by path.
 * P3  Memory is bounded by what is in flight, not by how much has finished.
 */
export declare class NodeCount {
  #private;
  readonly node: string;
  /** The stream whose items the node runs for. */
  readonly per: string | undefined;
  constructor(node: string, per: string | undefined);
  /** Something happened at `now`, in this process and not in a replay. */
  live(now: number): void;
  expect(): void;
  start(path: string): void;
  yield(replayed: boolean): void;
  failAttempt(path: string, last: boolean): void;
  finish(path: string, replayed: boolean): void;
  /** Resolved without a value and without a failure of its own. */
  settle(path: string, skipped: boolean): void;
  progress(now: number): NodeProgress;
}
