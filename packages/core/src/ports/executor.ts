/**
 * Where bodies of ops with `bound: "cpu"` run: away from the event loop that schedules everything else. `workerPool` of
 * `@millrace/core/node` is one. `executorContract` of `@millrace/core/testing` checks the rules.
 *
 * X1  `run` never throws, and its `output` settles exactly once, also after `abandon`: then it rejects.
 * X2  `abandon` stops the body at once, whatever it is doing; what runs beside it and what comes after it is not harmed.
 * X3  `started` is called when the body begins: the op's time limit counts from there, not from when it was queued.
 * X4  A body that takes its worker down is a failure of that body, worth another attempt, and of nothing else.
 * X5  `admitted` is asked right before the body begins, and it begins when what that returned has resolved; if it rejects, so does
 *     `output`, and the body does not begin.
 */
import type { RunTags } from "../model/tags.ts";
import type { LogLevel } from "./log.ts";

export interface Executor {
  /** One more engine uses it. */
  open(): void;
  /** Resolves when these ops can run; rejects naming those that cannot. */
  prepare(ops: readonly string[]): Promise<void>;
  run(task: ExecutorTask): Execution;
  /** One engine less uses it; the last one lets everything go. Safe to call once per `open`. */
  close(): Promise<void>;
}

export interface ExecutorTask {
  /** Name of the op. */
  readonly op: string;
  /** In the journal's encoding, as is the output. */
  readonly input: string;
  readonly told: Told;
  readonly started: () => void;
  /** Whether it may begin now: the lease on its run may have lapsed while it was queued (H2). Null: it may. */
  readonly admitted: () => Promise<void> | null;
  readonly log: (level: LogLevel, message: string, data: unknown) => void;
  /** Of a task of a state graph: an event that its body tells, encoded. */
  readonly tell?: (event: string) => void;
}

/** The part of `ctx` that can travel. */
export interface Told {
  readonly runId: string;
  readonly graph: string;
  readonly node: string;
  readonly path: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  /** Milliseconds, or 0 for none. */
  readonly timeout: number;
  /** What the caller told the run, encoded; null: the op does not ask. */
  readonly context: string | null;
  /** What the caller marked the run with; null: with nothing. */
  readonly tags: RunTags | null;
  /** Null: the run is in none. */
  readonly thread: string | null;
}

export interface Execution {
  /** The encoded output, or what the body threw. */
  readonly output: Promise<string>;
  abandon(): void;
}
