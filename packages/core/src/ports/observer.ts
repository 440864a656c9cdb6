import type { Labels } from "../model/tags.ts";
import type { OpError } from "../events/record.ts";

/**
 * What a run does, as it does it: progress bars, logs, streams and traces hang here. Called synchronously after the step
 * that did it, and only when an observer is set; one that throws is detached and reported once on stderr by the engine.
 * During recovery the same calls arrive with `replayed: true`, all but `attemptStarted`: starts are not in the journal.
 *
 * Values are the run's own objects: an observer that keeps or changes them keeps or changes what the run goes on with.
 */
export interface Observer {
  /** `traceId`, `labels`: what the caller marked it with; absent or null: with nothing. */
  runStarted?(event: {
    runId: string;
    graph: string;
    replayed: boolean;
    traceId?: string | null;
    labels?: Labels | null;
    /** Absent or null: it belongs to none. */
    thread?: string | null;
  }): void;
  /** An op call has all its inputs: one more invocation of `node` will run. */
  expected?(event: NodeEvent): void;
  /** `upstream`: the named nodes that `input` was put together from, directly or through edges. */
  attemptStarted?(event: NodeEvent & { attempt: number; input: unknown; upstream: readonly string[] }): void;
  /**
   * What was told since the last of these of the items of an ephemeral generator is void: its attempt failed, another
   * process begins it again, or it was swept. `events`: so are the events that the body of a task told, if it told any.
   */
  reset?(event: NodeEvent & { attempt: number; events?: true }): void;
  /** One item of a generator. */
  yielded?(event: NodeEvent & { attempt: number; index: number; value: unknown }): void;
  /**
   * `retryAt`: when the next attempt is due, milliseconds since 1970, UTC; `retryInMs`: how long until then, at replay what
   * is left of it; null: it was the last.
   */
  attemptFailed?(
    event: NodeEvent & {
      attempt: number;
      code: string;
      type: string;
      message: string;
      retryInMs: number | null;
      retryAt: number | null;
      /** What was thrown; absent at replay. */
      thrown?: unknown;
    },
  ): void;
  /**
   * `value` is undefined for a generator: its items were told one by one. `cached`: it was taken from the cache, or from an
   * equal call that was running; `attempts` are those that failed before, most often 0.
   */
  finished?(event: NodeEvent & { value: unknown; attempts: number; cached?: true }): void;
  /** Resolved as failed, with an entry of its own: after the last attempt, or without one (`Stalled`, a fold that threw). */
  failed?(event: NodeEvent & { error: OpError }): void;
  /** Resolved without running or without a value. `because`, `at`: the node whose failure is behind it, and where. */
  settled?(event: NodeEvent & { as: "skipped" | "absent" | "swept" | "untaken"; because?: string; at?: string }): void;
  /**
   * A value that the graph sends out while it runs (`emit`), or an event that the body of a task tells: that has an `index` from 0 in
   * its attempt, a name if it was given one, and is `ephemeral` of the task itself.
   */
  emitted?(event: NodeEvent & { value: unknown; name?: string; index?: number }): void;
  /** A question to the outside was opened; `id` is what its answer must name. */
  asked?(event: NodeEvent & { id: string; payload: unknown }): void;
  /** It was answered, timed out to its default, or is not wanted any more. */
  answered?(event: NodeEvent & { id: string; as: "answered" | "defaulted" | "withdrawn"; value: unknown }): void;
  runEnded?(event: { runId: string; status: string }): void;
}

/** A generator in its place. */
export interface Generating {
  readonly node: string;
  readonly path: string;
}

export interface NodeEvent {
  readonly runId: string;
  readonly node: string;
  readonly path: string;
  /** What the node is: `op`, `reduce`, `push`, `read`, `input` … */
  readonly kind: string;
  /**
   * Number of the event that caused it: with a backend its record's sequence number in the journal, else the step's. Never
   * falls within a run; several calls may share one.
   */
  readonly seq: number;
  readonly replayed: boolean;
  /**
   * The ephemeral generator that it yields from, or that the node is among the items of, or the task that tells an event: none of
   * it is recorded, and a `reset` of that generator or task makes it void. When that has finished, it stands.
   */
  readonly ephemeral?: Generating;
}

/** The calls, for whoever stands between a run and its observers. */
export const observerCalls: readonly (keyof Observer)[] = Object.keys({
  runStarted: true,
  expected: true,
  attemptStarted: true,
  reset: true,
  yielded: true,
  attemptFailed: true,
  finished: true,
  failed: true,
  settled: true,
  emitted: true,
  asked: true,
  answered: true,
  runEnded: true,
} satisfies Record<keyof Observer, true>) as (keyof Observer)[];
