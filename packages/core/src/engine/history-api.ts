/** What `history` and `stateAt` give. */
import type { ErrorEntry } from "../events/record.ts";
import type { Interrupt } from "../events/interrupt.ts";
import type { Migration } from "../model/migration.ts";
import type { Cells } from "./api.ts";
import type { ForkPatch } from "./fork-options.ts";

/** What a record tells; which of the optional fields an entry has goes by its kind. */
export interface HistoryEntry {
  /** Number of the record in the run's journal, from 1. */
  readonly seq: number;
  /** Number of the event that it is part of: what an event made the run decide stands behind it, in the same batch. */
  readonly batch: number;
  readonly kind: HistoryKind;
  /** Scoped name of the node; `#n` when the journal does not know it. */
  readonly node?: string;
  /** Indices of the items and iterations around, from the outermost inward; empty at the top. */
  readonly items?: readonly number[];
  /** Of a node, when the engine has the graph; of a question always. */
  readonly path?: string;
  /** Decoded: the input, an output, an item, what was asked or answered, what a run or cell came to. */
  readonly value?: unknown;
  /** With `blobs: false`: in place of a value that is kept apart. */
  readonly large?: true;
  /** `attemptFailed` */
  readonly error?: { readonly code: string; readonly type: string; readonly message: string };
  readonly attempt?: number;
  /** `attemptFailed`: when it is tried again, milliseconds since 1970, UTC; absent: it was the last attempt. */
  readonly retryAt?: number;
  /** `timerSet`, `asked`, `deadlineSet`: until when, milliseconds since 1970, UTC. */
  readonly due?: number;
  /** `answered`: who, or `timeout`. */
  readonly by?: string;
  /** `decision`: the arm by its number, -1 for none; a loop's end (1) or not (0), a sweep (1) or not (0). */
  readonly choice?: number;
  /** `dropped`: which item. */
  readonly index?: number;
  /** `snapshot`: of the state's text, and of its layout. */
  readonly hash?: string;
  readonly format?: number;
  /** `kept`: the kind of what is kept for later. */
  readonly of?: HistoryKind;
  /** `cellSet` */
  readonly cell?: string;
  /** `started`, and `resumed` with another graph. */
  readonly graph?: string;
  readonly fingerprint?: string;
  /** `resumed` with another graph: how it was brought to that, when `migrate` said so. */
  readonly map?: Omit<Migration, "from">;
  readonly forkedFrom?: Origin;
  /** `resumed` */
  readonly epoch?: number;
  /** `ended` */
  readonly status?: string;
  readonly errors?: readonly ErrorEntry[];
  /** `cancelRequested`, `ended` */
  readonly reason?: string;
  /** `started`, `asked`, `answered`, `unsafeStart`, `ended`: when, milliseconds since 1970, UTC. */
  readonly at?: number;
}

export type HistoryKind =
  | "started"
  | "output"
  | "frame"
  | "eof"
  | "settled"
  | "brokenOff"
  | "attemptFailed"
  | "dropped"
  | "resumed"
  | "cancelRequested"
  | "drainRequested"
  | "ended"
  | "decision"
  | "timerSet"
  | "fired"
  | "asked"
  | "answered"
  | "withdrawn"
  | "deadlineSet"
  | "finalizerOver"
  | "kept"
  | "snapshot"
  | "compacted"
  | "cellSet"
  | "unsafeStart"
  | "stopped";

/** Where a fork comes from. */
export interface Origin {
  readonly runId: string;
  /** The last record that both have. */
  readonly seq: number;
  readonly patch?: ForkPatch;
  readonly rerun?: readonly string[];
}

/** What a fork would keep of a run, and what it would do. */
export interface ForkPreview {
  /** The run that is forked. */
  readonly runId: string;
  readonly graph: string;
  /** The last record that both would have: the end of the batch that the asked one is in. */
  readonly seq: number;
  /** By node: what had come to an end in the run, by a value, an answer or a failure, and stands in the fork. */
  readonly kept: Readonly<Record<string, number>>;
  /** By node: what had come to an end in the run, also later, and is done again where the fork comes to it. */
  readonly again: Readonly<Record<string, number>>;
  /** Paths of what begins, is asked or waited for at once, in that order. */
  readonly starts: readonly string[];
  /** Others, that were left out of `starts`. */
  readonly more: number;
  /** Present when the fork would be over at once. */
  readonly ends?: "completed" | "failed" | "cancelled";
}

/** A run as it was behind one of its records. */
export interface RunAt {
  readonly runId: string;
  readonly graph: string;
  /** The last record of the batch that the asked one is in. */
  readonly seq: number;
  readonly status: "running" | "completed" | "failed" | "cancelled" | "drained" | "interrupted";
  readonly input: unknown;
  /** By path, in the order they came: what named nodes had given. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Earlier outputs that were left out. */
  readonly more: number;
  readonly cells: Cells;
  /** Open questions. */
  readonly interrupts: readonly Interrupt[];
  readonly errors: readonly ErrorEntry[];
  /** Present when completed. */
  readonly output?: unknown;
}
