/**
 * What one engine did with a definition. Lists called "sorted" are multisets in a canonical order: what finished first is
 * not recorded. There are no ids and no times; checkpoints are numbered from 0 in the order in which they were made.
 */
import type { Json, Patch } from "./json.ts";

/**
 * Updates by field, each in the order in which they were made: `{ log: ["a", "b"] }` are two updates of `log`, in one or
 * in two steps of the body.
 */
export type Writes = Readonly<Record<string, readonly Json[]>>;

export interface Vector {
  readonly name: string;
  /** Of the definition's graph and script: `interpreter/hash.ts`. */
  readonly definition: string;
  readonly recordedFrom: string;
  /** One per call of the script. */
  readonly calls: readonly CallRecord[];
  /** Every checkpoint of every thread, as they stand after the last call. */
  readonly history: Readonly<Record<string, readonly CheckpointRecord[]>>;
  /** How often each body was entered in all; bodies of subgraphs by path: `sub/inner`. */
  readonly entered: Readonly<Record<string, number>>;
}

export interface CallRecord {
  /**
   * `finished`: nothing is left to do. `waiting`: a question is open. `paused`: a breakpoint, or an update with work left.
   * `failed`: a node or the engine ended the run. `refused`: nothing was run.
   */
  readonly outcome: "finished" | "waiting" | "paused" | "failed" | "refused";
  readonly error?: ErrorRecord;
  /** Supersteps that this call ran or took part in, in order; the input is one (-1), and so is what it leads to (0). */
  readonly steps: readonly StepRecord[];
  /** During this call. Absent in calls of a `together`. */
  readonly entered?: Readonly<Record<string, number>>;
  /** The thread after it. Absent in calls of a `together`, and when it cannot be read: see `unreadable`. */
  readonly head?: HeadRecord;
  /** Why the thread could not be read any more. */
  readonly unreadable?: ErrorRecord;
  /** The calls of a `together`, in the order of the definition. */
  readonly together?: readonly CallRecord[];
}

export interface ErrorRecord {
  /** `NodeFailed`: the message is what the body threw. `Other`: the engine's own error, whose name is kept. */
  readonly kind: "NodeFailed" | "StepLimit" | "WriteConflict" | "Other";
  readonly message?: string;
}

export interface StepRecord {
  readonly step: number;
  /** What was queued and how it ended. Sorted. Empty for the input. */
  readonly tasks: readonly TaskRecord[];
  /** State after the superstep. Absent: it did not complete. */
  readonly values?: Patch;
  /** Names of the nodes that are queued next, once per task. Sorted. */
  readonly next?: readonly string[];
  /** Sorted. */
  readonly events: readonly EventRecord[];
}

export interface TaskRecord {
  readonly node: string;
  /** `recorded`: it had finished in an earlier call, and its writes were taken from there without entering the body. */
  readonly ended: "finished" | "recorded" | "asked" | "failed" | "abandoned";
  /** The state of its own that it was sent. */
  readonly sent?: Json;
  readonly wrote: Writes;
  /** Payloads. */
  readonly asked?: readonly Json[];
  readonly error?: string;
  /** Supersteps of the subgraph. */
  readonly inner?: readonly StepRecord[];
}

/** `recorded` are updates of a task that had finished in an earlier call. */
export type EventRecord =
  | { readonly type: "started" | "finished"; readonly node: string }
  | { readonly type: "updates" | "recorded"; readonly node: string; readonly wrote: Writes }
  | { readonly type: "custom"; readonly data: Json }
  | { readonly type: "values"; readonly values: Patch }
  | { readonly type: "interrupted"; readonly payload: Json };

export interface HeadRecord extends CheckpointRecord {
  /** A question is open. */
  readonly waiting: boolean;
}

export interface CheckpointRecord {
  readonly seq: number;
  /** `seq` of the checkpoint that it stands on. */
  readonly parent: number | null;
  readonly step: number;
  readonly source: "input" | "loop" | "update" | "fork";
  readonly values: Patch;
  /** Sorted names of queued nodes, once per task; `__start__`: the input waits to be merged. */
  readonly next: readonly string[];
  /** What is known of the tasks queued here. Sorted. */
  readonly pending: readonly PendingRecord[];
}

export interface PendingRecord {
  readonly node: string;
  readonly asked?: readonly Json[];
  readonly error?: string;
  /** Its updates, if it finished. */
  readonly wrote?: Writes;
}
