/**
 * What a run does, as it does it: progress bars, logs and traces hang here. Called synchronously and only when an
 * observer is set; an observer that throws is detached and reported once on stderr by the engine.
 * During recovery the same calls arrive with `replayed: true`, all but `attemptStarted`: starts are not in the journal.
 */
export interface Observer {
  runStarted?(event: { runId: string; graph: string; replayed: boolean }): void;
  /** An op call has all its inputs: one more invocation of `node` will run. */
  expected?(event: NodeEvent): void;
  attemptStarted?(event: NodeEvent & { attempt: number }): void;
  /** One item of a generator. */
  yielded?(event: NodeEvent & { index: number }): void;
  /** `retryInMs`: until the next attempt, at replay what is left of it; null: it was the last. */
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
