import type { RunTags } from "../model/tags.ts";
import type { At, ErrorEntry } from "../events/record.ts";
import type { Program } from "./program.ts";
import type { RunThread } from "../model/thread.ts";
import type { CellState } from "./cell.ts";
import type { CollectState } from "./collect.ts";
import { Context } from "./context.ts";
import type { FailureLog, Failure } from "./failure.ts";
import type { Kept } from "./kept.ts";
import { PendingQueue, type Pending } from "./pending.ts";
import type { Crashes } from "./crashes.ts";
import type { StreamInstance } from "./stream.ts";
import type { Tables } from "./tables.ts";
import type { UnsafeBody } from "./unsafe-bodies.ts";

/** Who the run is. Its id may be made when it is first asked for. */
export interface RunIdentity {
  readonly runId: string;
}

/** An arm taken, a race won, or a loop at its end (1) or not (0). */
export interface Decision {
  readonly slot: number;
  readonly owner: Context;
  readonly choice: number;
}

export interface RecordedDecision {
  readonly slot: number;
  readonly at: string;
  readonly choice: number;
}

export type EndStatus = "completed" | "failed" | "cancelled";

export interface RunEnd {
  readonly status: EndStatus;
  readonly output: unknown;
  readonly errors: readonly ErrorEntry[];
  readonly reason: string;
}

/** An event among the items of an ephemeral generator. */
export interface Aside {
  readonly kind: number;
  readonly pending: Pending | null;
  readonly value: unknown;
  readonly error: ProbedError | null;
  readonly retryAt: number | null;
}

/** What a probe is told of a failed attempt. */
export interface ProbedError {
  readonly code: string;
  readonly type: string;
  readonly message: string;
}

/** Called by the scheduler while it works, when somebody listens; see the Observer port for the meanings. */
export interface Probe {
  expected(context: Context, slot: number): void;
  /** `retryAt` null: it was the last attempt. */
  attemptFailed(pending: Pending, error: ProbedError, retryAt: number | null): void;
  /** The output that is fed next came from the cache. */
  fromCache(): void;
  /** What the items of an ephemeral generator led to is void: its body begins again, or there is nothing of it. */
  reset(pending: Pending): void;
  /** A generator's item was taken. */
  yielded(pending: Pending, value: unknown): void;
  /** A value was sent out. */
  emitted(context: Context, slot: number, value: unknown): void;
  /** A question was opened. */
  asked(pending: Pending): void;
  answered(pending: Pending, as: "answered" | "defaulted" | "withdrawn", value: unknown): void;
  /** The step is over; records of what it decided or dropped may follow its own. */
  stepped(): void;
  /** The step is over and recorded: whatever was noted may be told. */
  flush(): void;
  /** A named slot resolved, to whatever. */
  resolved(context: Context, slot: number, state: number, value: unknown): void;
}

/** What the caller told the run, by the names of its caller contexts. */
export type CallerValues = Readonly<Record<string, unknown>>;

/**
 * Everything a run is, as plain data: what `step` reads and writes and nothing else. Who owns what:
 * queue.ts `states`, `values`, `open`, `effects`; policies/lane.ts lanes; policies/credit.ts `openItems`, `waiting`;
 * collectors.ts collect states; failures.ts `failures`, `raised`, `reported`; cells.ts `cells`; end.ts `end`.
 */
export class RunState {
  readonly program: Program;
  /** The program's, one load nearer: every event reads them. */
  readonly tables: Tables;
  readonly #identity: RunIdentity;
  readonly raise: boolean;
  readonly root: Context;
  /** Records so far. */
  seq = 0;
  /** What gathers the items of the run's own streams: the outputs that are streams are read from there while they grow. */
  gathered: CollectState[] | null = null;
  /** Bodies that were dispatched and have not answered, generators without credit left out. */
  inFlight = 0;
  cells: CellState[] | null = null;
  /** Null until something failed. */
  failures: FailureLog | null = null;
  /** The first unhandled failure under `errors: "raise"`. */
  raised: Failure | null = null;
  end: RunEnd | null = null;
  /** What it will end as when its finalizers are through. */
  ending: { readonly status: EndStatus; readonly output: unknown } | null = null;
  cancelReason: string | null = null;
  draining = false;
  /** It was drained: every body that had started has answered. Until the next `resumed`. */
  stoppedCleanly = false;
  /** Items dropped by the current step, as `[slot, context, index]`, for the batch. */
  dropped: { readonly slot: number; readonly owner: Context; readonly index: number }[] | null = null;
  /** Choices of the current step, for the batch; kept only when there is a journal. */
  decided: Decision[] | null = null;
  /** Replay: the recorded choices of the step that is replayed; they are taken, not made again (rule 9). */
  foretold: RecordedDecision[] | null = null;
  /** A fork: what it kept of its origin for invocations that are not there yet. */
  kept: Kept | null = null;
  /** Uses of cells, in their order, for who asks which read saw which push. Null: nobody does. */
  trail: { readonly slot: number; readonly at: At }[] | null = null;
  /** Questions that the current step swept, for the batch; kept only when there is a journal. */
  withdrawn: Pending[] | null = null;
  /** Paths of all questions that were ever withdrawn, for whoever still answers one. */
  withdrawnPaths: Set<string> | null = null;
  /** Invocations that were swept: the runtime lets go of their bodies. Not filled during replay. */
  aborted: Pending[] | null = null;
  /** Streams of ephemeral generators of which something is to be recorded: that they are through, or end what is around. */
  regions: StreamInstance[] | null = null;
  /** Bodies that something was delivered to by the current step. Not filled during replay. */
  told: Pending[] | null = null;
  /** Of ephemeral generators: those that yielded or ended, and are not settled. A snapshot is not taken meanwhile. */
  openRegions = 0;
  /** Told of the events that are not recorded; in tests. */
  aside: ((run: RunState, event: Aside) => void) | null = null;
  /** Subgraph calls that already have an error entry, by context. */
  reported: Map<Context, Set<number>> | null = null;

  /** Effects of the steps since the runtime last looked, in order. Not filled during replay. */
  readonly effects: PendingQueue = new PendingQueue();
  replaying = false;
  /**
   * It has a journal: whatever user code is given is frozen first. A value that one consumer could change would be another
   * one after a crash, when it is read from the journal again.
   */
  journaled = false;
  probe: Probe | null = null;
  /** Until when invocations with a total timeout may take, in epoch milliseconds. Null: none was taken up. */
  totals: WeakMap<Pending, number> | null = null;
  /** What is known of bodies of unsafe ops. Null: nothing yet. */
  unsafeBodies: WeakMap<Pending, UnsafeBody> | null = null;
  /**
   * Up to this record the run was written by versions that did not record when unsafe bodies begin: what they dispatched
   * may have begun.
   */
  unrecordedStarts = 0;
  /** Replay: the owner that wrote the record at hand is such a version. */
  startsMissing = false;
  /** Of bodies that were at work at a crash. Null: of none. */
  crashes: WeakMap<Pending, Crashes> | null = null;
  /** Of the `started` record; null when no op asks for it. The kernel never reads it. */
  callerValues: CallerValues | null = null;
  /** Of the `started` record; null when the caller gave none. The kernel never reads it. */
  tags: RunTags | null = null;
  /**
   * Of a run that was brought to another graph: the path by which an invocation is known outside, in keys and ids, by slot and
   * as a pattern. It stays what it was when the node was called otherwise. Null: it is the path.
   */
  knownAs: ReadonlyMap<number, string> | null = null;
  /** Replay: bodies of unsafe ops that began, of nodes that the graph does not have any more, by slot and context. */
  removedStarts: Map<string, string> | null = null;
  /** Null: it is in none. */
  thread: RunThread | null = null;
  /** By cell: what the thread of the run that this one was forked from had carried. */
  carried: Readonly<Record<string, unknown>> | undefined;
  /** Called at the end of every step: the executable invariants, in tests. */
  check: ((run: RunState) => void) | null = null;

  constructor(program: Program, identity: RunIdentity, raise: boolean) {
    this.program = program;
    this.tables = program.tables;
    this.#identity = identity;
    this.raise = raise;
    const scope = program.plan.scopes[0];
    if (scope === undefined) throw new Error("a plan has at least the run scope");
    this.root = new Context(
      scope,
      (program.initial[0] as number[]).slice(),
      (program.blank[0] as unknown[]).slice(),
      null,
      null,
      0,
    );
  }

  get runId(): string {
    return this.#identity.runId;
  }
}
