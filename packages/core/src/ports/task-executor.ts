/**
 * Where tasks of state graphs run. `inlineTasks()` and `oneAtATime()` run them here, `taskPool` of `@millrace/core/node` in worker
 * threads; an executor of one's own sends them anywhere, where `taskRunner` finds a node by the names of its graph and its own.
 * `taskExecutorContract` of `@millrace/core/testing` checks the rules.
 *
 * E1  `run` never throws, and its `outcome` settles exactly once, also after `abandon`: then it rejects.
 * E2  `abandon` tells the body by its signal that it is not wanted, or ends it; what runs beside it and comes after it is not harmed.
 * E3  `started` is called once, when the body begins: the time limit of an attempt counts from there, not from when it was queued.
 * E4  `admitted` is asked right before the body begins, which waits until that has resolved; if it rejects, so does `outcome`, and the body does
 *     not begin.
 * E5  `input` is called only where the task goes elsewhere: encoding a state costs time.
 * E6  What the body tells comes by `tell`, in its order, before `outcome` settles.
 * E7  A body whose process goes away fails, worth another attempt (`retryable: true`), and nothing else does; it is never waited for in vain.
 */
import type { Told } from "./executor.ts";
import type { LogLevel } from "./log.ts";

export interface TaskExecutor {
  /** One more engine uses it. */
  open(): void;
  run(work: TaskWork): TaskExecution;
  /** One engine less uses it; the last one lets everything go. Safe to call once per `open`. */
  close(): Promise<void>;
}

/** What a node is found by. */
export interface TaskName {
  /** Name of the state graph that the node is of; of a subgraph its own. */
  readonly graph: string;
  readonly node: string;
}

export interface TaskWork extends TaskName {
  /** Number of the superstep. */
  readonly step: number;
  /** 1 for the first try. */
  readonly attempt: number;
  /** What the node reads, in the journal's encoding. */
  readonly input: () => string;
  /** What travels of the rest that the body is told: plain data. */
  readonly told: () => Told;
  /** Runs the body here. */
  readonly run: () => Promise<RanHere>;
  readonly started: () => void;
  /** Null: it may begin. */
  readonly admitted: () => Promise<void> | null;
  /** An event of the body, in the journal's encoding. */
  readonly tell: (event: string) => void;
  readonly log: (level: LogLevel, message: string, data: unknown) => void;
}

declare const ran: unique symbol;

/** What `run` gave, as it is. */
export interface RanHere {
  readonly [ran]: true;
}

export interface TaskExecution {
  /** What `run` gave, or what `taskRunner` gave elsewhere, or what the body threw. */
  readonly outcome: Promise<RanHere | string>;
  abandon(): void;
}

/** For the `ctx` of tasks: what the engine knows of where they run. */
export interface SendsTasks {
  /** Null: no executor was chosen, so it runs where it is. Resolves to what its body came to. */
  send(task: TaskToSend): Promise<unknown> | null;
}

export interface TaskToSend extends TaskName {
  readonly step: number;
  readonly input: unknown;
  run(): Promise<unknown>;
  /** An event that was told elsewhere. */
  tell(event: unknown): void;
}
