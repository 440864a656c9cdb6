import type { GraphNames } from "../events/record.ts";
import type { RecordedGraph } from "./recorded-graph.ts";
import type { JournalSize } from "./size.ts";
import type { Logged, SnapshotPolicy } from "./snapshot/snapshots.ts";
import type { Terms } from "./started.ts";

/** Where a writer goes on, and how. */
export interface WriterPosition {
  readonly runId: string;
  readonly epoch: number;
  readonly seq: number;
  readonly chain: number;
  /** Default: nothing. */
  readonly logged?: Logged | undefined;
  /** Absent: no snapshots are written. */
  readonly snapshots?: SnapshotPolicy | undefined;
  /** The run goes on with another graph: its `resumed` record and its row will say so. */
  readonly graphChange?: GraphNames | undefined;
  /** Up to there. */
  readonly size: JournalSize;
  /** J6 */
  readonly exit: boolean;
  /** What the run's caller wanted of its limits. */
  readonly limits: Terms["limits"];
  /** What the records until here speak of; null: the plan. */
  readonly recorded?: RecordedGraph | null;
  /** False: the lease on it may have lapsed, and what asked waits until it is renewed. */
  readonly alive: () => boolean;
}
