/**
 * What a run does, as it does it: progress bars, logs and traces hang here. Called synchronously and only when an
 * observer is set; an observer that throws is detached and reported once on stderr by the engine.
 * During recovery the same calls arrive with `replayed: true`.
 */
export interface Observer {
  runStarted?(event: { runId: string; graph: string; replayed: boolean }): void;
  /** A stream opened an item, or an op call in the run scope became ready: one more invocation of `node` is to be expected. */
  expected?(event: NodeEvent): void;
  attemptStarted?(event: NodeEvent & { attempt: number }): void;
  /** One item of a generator. */
  yielded?(event: NodeEvent & { index: number }): void;
  attemptFailed?(event: NodeEvent & { attempt: number; code: string; message: string; retryInMs: number | null }): void;
  finished?(event: NodeEvent): void;
  /** Resolved without running or without a value. */
  settled?(event: NodeEvent & { as: "skipped" | "absent" | "swept" | "untaken"; because?: string }): void;
  runEnded?(event: { runId: string; status: string }): void;
}

export interface NodeEvent {
  readonly runId: string;
  readonly node: string;
  readonly path: string;
  readonly replayed: boolean;
}
