import type { MillraceError } from "../base/error.ts";
import type { Interrupt } from "../events/interrupt.ts";
import type { ErrorEntry } from "../events/record.ts";

/** A task of the superstep that comes next, as far as it is known. */
export interface PendingTask {
  readonly node: string;
  /** Present when it was sent: its own state. */
  readonly sent?: unknown;
  /** Present when it has finished: its updates, in order. They are folded when the others have. */
  readonly wrote?: readonly unknown[];
  /** What it asked, in that order. */
  readonly asked?: readonly AskedQuestion[];
  readonly error?: { readonly code: string; readonly message: string };
}

/** A question that a task asked. */
export interface AskedQuestion {
  readonly question: string;
  readonly payload: unknown;
  /** Absent: it is open. */
  readonly answer?: unknown;
}

/** What a task wrote. */
export interface Writes {
  readonly node: string;
  readonly updates: readonly unknown[];
}

/** A thread at a boundary between supersteps. */
export interface Checkpoint<S = unknown> {
  readonly thread: string;
  /** Unique in the backend; stable. */
  readonly id: string;
  /** The checkpoint that it stands on; null: the first one. */
  readonly parent: string | null;
  /** Position in the thread, from 0, in the order they were made. */
  readonly seq: number;
  /** -1 for the first input of a thread; one more with each boundary on its way here. */
  readonly step: number;
  /** `input`: an input waits to be merged; `superstep`: one is over; `update`: somebody wrote; `fork`: another way on begins. */
  readonly source: "input" | "superstep" | "update" | "fork";
  readonly state: S;
  /** Names of the tasks that come next, in their order; `$start`: the input is merged. */
  readonly next: readonly string[];
  readonly pending: readonly PendingTask[];
  /** By the tasks of the superstep that ended here, in their order. */
  readonly writes: readonly Writes[];
  readonly runId: string;
  /** There were others before it whose records are gone: pruned, or compacted. Then `parent` is null. */
  readonly gap?: boolean;
  /** Of an update: who made it, if that was said. */
  readonly by?: string;
  /** The last record of the run that is part of it. */
  readonly recordSeq: number;
  /** When its run was started, in milliseconds since 1970, UTC. */
  readonly createdAt: number;
  /** Checkpoints of state graphs that ran as tasks of the superstep that ended here, by node. */
  readonly inner: readonly { readonly node: string; readonly checkpoints: readonly InnerCheckpoint[] }[];
}

export type InnerCheckpoint = Pick<Checkpoint, "step" | "source" | "state" | "next" | "pending" | "writes" | "inner">;

/** The newest checkpoint, and how the thread stands. */
export interface ThreadState<S = unknown> extends Checkpoint<S> {
  /** Of its newest run. `idle`: the last turn is over. */
  readonly status: "idle" | "running" | "interrupted" | "failed" | "cancelled" | "drained";
  /**
   * Present: the checkpoints of its newest run cannot be read, and this is why. Then `state`, `next` and `seq` are what the last turn
   * that completed left, `id` names no checkpoint, and nothing is known of `writes`, `inner` and `parent`.
   */
  readonly unreadable?: MillraceError;
  readonly errors: readonly ErrorEntry[];
  /** What is open, to be answered. */
  readonly interrupts: readonly Interrupt[];
}
