import type { Labels } from "../model/tags.ts";

/**
 * Where traces go: a live account of runs for people, made from what the engine tells observers. It is not the journal: it
 * may be a moment ahead of what is durable, it is bounded, and losing it loses no run.
 */
export interface TraceSink {
  /**
   * Called while the run goes on, so it must be quick; records of one run come in order. A record with the key of an earlier
   * one (see the types) takes its place. A sink that throws is reported once and called no more: it never breaks a run.
   */
  write(record: TraceRecord): void;
  /** The engine closes: what is still on its way must be written. */
  close?(): void | Promise<void>;
}

export type TraceRecord = TraceRun | TraceInvocation | TraceAttempt | TraceYield;

/** Times are milliseconds since 1970, UTC. */
type Time = number;

/** JSON, with excluded parts as `"[excluded]"` and what was too long cut with a mark; null: not recorded. */
export type TraceValue = string | null;

/** Key: `runId`. */
export interface TraceRun {
  readonly type: "run";
  readonly runId: string;
  /** The graph's declared name, however the run was started. */
  readonly graph: string;
  /** `running`, or what it came to. */
  readonly status: string;
  readonly startedAt: Time;
  readonly endedAt: Time | null;
  /** Invocations and yields that are not in the trace, because it was full. */
  readonly dropped: number;
  /** What the caller marked the run with; null: with nothing. */
  readonly traceId: string | null;
  readonly labels: Labels | null;
  /** The thread that it belongs to; null: to none. */
  readonly thread: string | null;
}

/** One node in one context. Key: `runId` and `path`. */
export interface TraceInvocation {
  readonly type: "invocation";
  readonly runId: string;
  /** `nightly/listDocs[3]/parse` */
  readonly path: string;
  readonly node: string;
  /** `op`, `reduce`, `input` … */
  readonly kind: string;
  /** Of the event that this record tells of; see `NodeEvent`. */
  readonly seq: number;
  /** `waiting`: for an answer from outside. */
  readonly status:
    | "running"
    | "retrying"
    | "waiting"
    | "finished"
    | "failed"
    | "skipped"
    | "absent"
    | "swept"
    | "untaken";
  /** Null: it never ran. Of a question: when it was asked. */
  readonly startedAt: Time | null;
  readonly endedAt: Time | null;
  readonly attempts: number;
  readonly yields: number;
  /** Named nodes that its input is made of. */
  readonly upstream: readonly string[];
  /** Skipped: the node whose failure is behind it, and the path of that failure. */
  readonly because: string | null;
  readonly at: string | null;
  readonly input: TraceValue;
  readonly output: TraceValue;
  /** Its output was taken from the cache, or from an equal call that was running. */
  readonly cached: boolean;
  readonly error: TraceError | null;
}

/** One try. Key: `runId`, `path` and `attempt`. */
export interface TraceAttempt {
  readonly type: "attempt";
  readonly runId: string;
  readonly path: string;
  readonly attempt: number;
  readonly startedAt: Time | null;
  readonly endedAt: Time | null;
  readonly error: TraceError | null;
  /** Until the next attempt, when one follows. */
  readonly retryInMs: number | null;
}

/** One item of a generator. Key: `runId`, `path` and `index`. */
export interface TraceYield {
  readonly type: "yield";
  readonly runId: string;
  readonly path: string;
  readonly index: number;
  readonly at: Time;
  readonly output: TraceValue;
}

export interface TraceError {
  readonly code: string;
  readonly type: string;
  readonly message: string;
  /** Where in the user's own files, innermost first: `file:///app/flows.ts:12:7`. Empty when that is not known. */
  readonly frames: readonly string[];
  /** What the thrown error named as its cause, and so on: `Type: message` each, the nearest first, at most five. */
  readonly causes?: readonly string[];
}

/** One run as traced. */
export interface Trace {
  readonly run: TraceRun;
  /** In the order in which they were first heard of. */
  readonly invocations: readonly TraceInvocation[];
  readonly attempts: readonly TraceAttempt[];
  readonly yields: readonly TraceYield[];
}
