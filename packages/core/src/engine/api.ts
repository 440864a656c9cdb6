/** The engine's public surface. `openEngine` in `engine.ts` implements it. */
import type { Duration } from "../base/duration.ts";
import type { ErrorEntry } from "../events/record.ts";
import type { Answered } from "../journal/fold.ts";
import type { JournalLimits } from "../journal/limits.ts";
import type { ItemsOf, Output, Stream, StreamKeys } from "../model/ref.ts";
import type { Runnable } from "../model/op.ts";
import type { Store } from "../model/store.ts";
import type { Labels } from "../model/tags.ts";
import type { Backend, RunRow, RunStatus } from "../ports/backend.ts";
import type { CacheStore } from "../ports/cache-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { Entropy } from "../ports/entropy.ts";
import type { Executor } from "../ports/executor.ts";
import type { TaskExecutor } from "../ports/task-executor.ts";
import type { LogLevel, LogSink } from "../ports/log.ts";
import type { Observer } from "../ports/observer.ts";
import type { TraceSink } from "../ports/trace.ts";
import type { Interrupt } from "../events/interrupt.ts";
import type { Durability } from "../runtime/outcome.ts";
import type { SecretSource } from "../runtime/secrets.ts";
import type { RedactOptions } from "../secrets/redactor.ts";
import type { RunState } from "../state/run-state.ts";
import type { ForkOptions, HistoryOptions, StateOptions } from "./fork-options.ts";
import type { Compacted } from "../journal/compact/compact-run.ts";
import type { ForkPreview, HistoryEntry, Origin, RunAt } from "./history-api.ts";
import type { Provision } from "./provide.ts";
import type { ItemsOptions, RunStream, StreamEvent, StreamMode, StreamOptions } from "./stream/events.ts";

export interface EngineOptions {
  /** Where runs live. Without one nothing is journaled and a crash loses the run. */
  readonly backend?: Backend;
  /** Graphs whose orphaned runs this engine takes over when it opens, and which `resume` can continue. */
  readonly graphs?: readonly Runnable<never, unknown>[];
  /**
   * What the ops of its graphs need, each made by `provide(token, value or factory)`. Made, checked and, for `graphs`,
   * found complete when the engine opens; closed in reverse order when it closes.
   */
  readonly resources?: readonly Provision[];
  /** Where ops with `bound: "cpu"` run: `workerPool({ module })` of `@millrace/core/node`. Closed with the engine. */
  readonly cpu?: Executor;
  /**
   * Where tasks of state graphs run: `taskPool({ module })` of `@millrace/core/node`, `oneAtATime()`, `tasksByName({ … })`, or one of your own. Those of nodes with
   * `needs` run here all the same. Closed with the engine. Default: here.
   */
  readonly tasks?: TaskExecutor;
  /** Where outputs of ops with `cache` are kept. Default: in memory, by a `memoryCache()` of the engine's own. */
  readonly cache?: CacheStore;
  /**
   * What `ctx.store` is. Default: the backend's; without a backend, a `memoryStore()` of the engine's own. The engine neither opens
   * nor closes what is given here.
   */
  readonly store?: Store;
  /** `record` (default): failures are data and independent branches go on. `raise`: the first unhandled one ends the run. */
  readonly errors?: "record" | "raise";
  /** Leaf ops active at once over all runs. Default: no cap. Each run is capped at 64 whatever this says. */
  readonly concurrency?: number;
  /** Leaf ops active at once in one run. Default 64. */
  readonly runConcurrency?: number;
  /**
   * When records are written. `sync` (default with a backend): before anything happens because of them, but that branches
   * of state graphs decide. `async`: ops declared `pure` run ahead. `exit`: all at once when the run ends, rests or drains; a
   * crash before that begins it anew, so unsafe ops and live inputs are refused. That a run was started is durable before
   * `start` resolves, always.
   */
  readonly durability?: Durability;
  /**
   * How long the journal of one run may grow; at the first limits the engine warns, at the others it fails the run. What a
   * transient stream yields does not count.
   */
  readonly journalLimits?: Partial<JournalLimits>;
  /**
   * Go on with runs that nobody drives: when the engine opens, and while it is open with those that are queued, whose engine
   * died, or whose time has come. Of `graphs`, and of any graph of which it has a run at rest itself. Default true.
   */
  readonly recover?: boolean;
  /**
   * How often the backend is looked through for such runs, and for what came for its own, besides hints, and at most how seldom
   * for more of a run of another engine that is followed here: shortly after something came more often. Default 1 s.
   */
  readonly poll?: Duration;
  /** A run over which more engines than this died in a row is `quarantined` until `resume` names it. Default 5. */
  readonly maxAttempts?: number;
  readonly observer?: Observer;
  /**
   * What `ctx.secret(secretRef(name))` gives: by name, or from a function that is asked each time. Never journaled.
   */
  readonly secrets?: SecretSource;
  /** Which keys name secrets in logs, traces and errors; known values of secrets are hidden everywhere. */
  readonly redact?: RedactOptions;
  /** Live accounts of runs for people. Default: none, and then they cost nothing. */
  readonly traces?: TraceOptions;
  /**
   * When the state of a run is written into its journal, so that a resume begins there and not at the first record.
   * `false`: never. Default: see `SnapshotOptions`. Needs a backend that keeps them.
   */
  readonly snapshots?: SnapshotOptions | false;
  readonly clock?: Clock;
  readonly entropy?: Entropy;
  /** Where lines of the engine and of `ctx.log` go. Default: stderr. */
  readonly log?: LogSink;
  /** The least urgent lines that are written. Default: the environment variable `MILLRACE_LOG`, else `warn`. */
  readonly logLevel?: LogLevel | "off";
  /**
   * After how long a body that is still working, or a generator still making an item, is told of in the log, at level
   * `warn`, once per attempt or item. Default: never.
   */
  readonly slowOp?: Duration;
  /** Where the engine's own warnings go; default: the log, at level `warn`. */
  readonly warn?: (text: string) => void;
  /** Makes `currentRun()` work inside of bodies, by the host's AsyncLocalStorage. Default false: it costs a little. */
  readonly asyncContext?: boolean;
  /** Called after every step with the run's state: the executable invariants, in tests. */
  readonly check?: (run: RunState) => void;
}

/**
 * A snapshot is written when the journal has grown by `after` characters since the last one, if it is not longer than
 * `share` of that: what all of them cost stays in proportion to what was written anyway. With neither set, a small state is written
 * earlier: after 4 Ki characters and 64 commits, if it is not longer than a quarter of that.
 */
export interface SnapshotOptions {
  /** Characters of journal, blobs included. Default 32 Ki. */
  readonly after?: number;
  /** A part of that, above 0. Default 0.1. */
  readonly share?: number;
}

/**
 * Parts of values are named by patterns: `node`, `node.input`, `node.output.user.password`; `*` stands for any node, or for
 * any one field. Elements of lists have the fields of the list. Node names are scoped, `fast/summarise`; the run's input is
 * the output of `input`.
 */
export interface TraceOptions {
  readonly sinks: readonly TraceSink[];
  /** Only these parts of inputs and outputs are recorded. Default: all of them. */
  readonly include?: readonly string[];
  /** These parts are recorded as `"[excluded]"`, whatever `include` says. Messages of errors are not looked through. */
  readonly exclude?: readonly string[];
  /** `value`: characters per value, about; default 4,096. `records`: invocations and yields per run; default 100,000. */
  readonly limits?: { readonly value?: number; readonly records?: number };
}

export interface RunOptions {
  /** `^[A-Za-z0-9_-]{1,128}$`, unique in the backend. Default: a new uuidv7. */
  readonly id?: string;
  /** Aborting it cancels the run. */
  readonly signal?: AbortSignal;
  /** What the ops of the graph are told: checked by each `callerContext` it needs, journaled, the same after a crash. */
  readonly context?: unknown;
  /** Overrides the engine's. */
  readonly errors?: "record" | "raise";
  /**
   * What the run is found by, for example user, session and request: at most 16, keys of 1 to 64 letters, digits, `_`, `.`
   * and `-`, values of at most 256 characters. Journaled; in results, rows, traces and `ctx`, and a filter of `list`.
   */
  readonly labels?: Labels;
  /**
   * Names the ordered runs that this one belongs to: it begins with what the last one of them that completed left in cells
   * with `carry`, and one runs at a time. Needs a backend; 1 to 256 characters.
   */
  readonly thread?: string;
  /**
   * With a thread: the newest run of it that the caller knows, by its id, or null for none. Is it another one when this run would
   * begin, it is refused as `ThreadMoved`: for who decides by what the thread came to.
   */
  readonly follows?: string | null;
  /** Overrides the engine's, one by one, also wherever the run goes on. Needs a backend. */
  readonly journalLimits?: Partial<JournalLimits>;
  /** The caller's own id of what the run is part of: 1 to 128 visible ASCII characters. Shown where labels are. */
  readonly traceId?: string;
}

/** By name: what the cells of a run hold. */
export type Cells = Readonly<Record<string, unknown>>;

/** As the run was started with them; absent when it was not. */
interface Tagged {
  readonly traceId?: string;
  readonly labels?: Labels;
}

/** `cells`: as folded when the run came to this, whatever it came to. They are never read again by the engine. */
export type RunResult<O> = Tagged & Outcomes<O>;

type Outcomes<O> =
  | {
      readonly status: "completed";
      readonly output: Output<O>;
      readonly errors: readonly ErrorEntry[];
      readonly cells: Cells;
    }
  | { readonly status: "failed"; readonly errors: readonly ErrorEntry[]; readonly cells: Cells }
  | {
      readonly status: "cancelled";
      readonly reason: string;
      readonly errors: readonly ErrorEntry[];
      readonly cells: Cells;
    }
  | {
      readonly status: "interrupted";
      readonly interrupts: readonly Interrupt[];
      readonly errors: readonly ErrorEntry[];
      readonly cells: Cells;
    }
  | { readonly status: "drained"; readonly errors: readonly ErrorEntry[]; readonly cells: Cells };

export interface Handle<O> {
  readonly runId: string;
  /** As the run was started with it. */
  readonly traceId: string | undefined;
  /** As the run was started with them; frozen, empty when there were none. */
  readonly labels: Labels;
  /** Settles when the run ends, drains, is cancelled, or waits for answers only; rejects only when the engine lost the run (`LeaseLost`, a failing backend). */
  result(): Promise<RunResult<O>>;
  /** The output, or the error that `engine.run` throws. */
  output(): Promise<Output<O>>;
  /** Ends the run at once; bodies are aborted. Resolves to what the run actually ended as. */
  cancel(reason?: string): Promise<RunResult<O>>;
  /** The open questions, in the order they were asked. */
  interrupts(): readonly Interrupt[];
  /**
   * Answers the open question that `which` names by id, path or node; resolves once the answer is durable.
   *
   * @throws MillraceError `InvalidValue` when the answer does not match (the question stays open), `InterruptNotFound`,
   * `AmbiguousInterrupt`
   */
  answer(which: string, value: unknown, options?: AnswerOptions): Promise<void>;
  /**
   * Sends an item into a live input (`ingress`); resolves when there is room for the next one.
   *
   * @throws MillraceError `InvalidValue` (the input stays open), `NoSuchInput`, `InputEnded`; `EngineClosed` and `LeaseLost`
   * when this engine drives the run no more
   */
  send(name: string, item: unknown): Promise<void>;
  /** Ends a live input: the stream of its items ends. */
  end(name: string): void;
  /**
   * What leaves the run by a live output (`egress`, or `emit`), as it comes, until the run ends.
   *
   * @throws MillraceError `NoSuchOutput`, at once
   */
  receive(name: string): AsyncIterable<unknown>;
  /** Starts nothing new, lets bodies finish, then holds the run until `resume`, or until one of its questions is answered. */
  drain(): Promise<RunResult<O>>;
  /**
   * What the run does, as it does it: one mode or several, in one order, each event with its `seq` and `mode`, and none
   * before it is durable. Ends when the run ends, drains or is cancelled, and with a backend when it waits for answers only
   * and none has been given here by then; throws when the engine lost the run. A reader
   * that comes later is first given what it missed: from the journal, or without a backend the parts of the output that
   * are there. Reading slows nothing down.
   *
   * @throws MillraceError `InvalidOption` for an unknown mode or option; while reading `StreamOverflow`, see `buffer`, and the
   * reason of `signal`.
   */
  stream<const M extends StreamMode>(
    modes: M | readonly M[],
    options?: StreamOptions,
  ): RunStream<Extract<StreamEvent<O>, { readonly mode: M }>>;
  /**
   * The items of a stream of the output, while the run goes on: each once, in yield order, as soon as it and those before
   * it have resolved and are durable. Items that were filtered or dropped are left out. Of a stream of streams every item
   * is the whole inner list. An output that is itself a stream is read with `items()`. Reading slows nothing down, and
   * the result has the same items as an array. Those of an ephemeral generator are given before they are durable: when it
   * begins again, `onReset` is called and they come again from the first.
   *
   * @throws MillraceError `NoSuchStream` for another key; while reading, after all other items, `OpFailed` when one failed,
   * and `RunCancelled`, `RunDrained` or the run's own error when it ended before the stream; `StreamReset` when an ephemeral
   * generator began again and there is no `onReset`.
   */
  items<K extends StreamKeys<O>>(
    ...key: unknown extends O
      ? [key?: string, options?: ItemsOptions]
      : [O] extends [Many]
        ? [key?: undefined, options?: ItemsOptions]
        : [key: K, options?: ItemsOptions]
  ): RunStream<ItemsOf<O, K>>;
}

type Many = Stream<unknown>;

export interface RunInfo extends Omit<RunRow, "chain"> {
  /** Finished invocations so far, by node. */
  readonly finished: Readonly<Record<string, number>>;
  /** Final failures so far, by node. */
  readonly failed: Readonly<Record<string, number>>;
  readonly errors: readonly ErrorEntry[];
  /** Of its journal, without values that lie beside it. */
  readonly journalBytes: number;
  /** Present when completed. */
  readonly output?: unknown;
  readonly input: unknown;
  readonly reason?: string;
  /** Present when the run is a fork. */
  readonly forkedFrom?: Origin;
  /** Open questions; their graph need not be known. */
  readonly interrupts: readonly Interrupt[];
  /** Questions that were answered, in that order, and by whom: `timeout` by their default, empty when it was not told. */
  readonly answered: readonly Answered[];
}

export interface ListFilter {
  readonly status?: readonly RunStatus[];
  readonly graph?: string;
  /** Runs of this thread, in its order: the newest is the one that began last, whatever clocks say. */
  readonly thread?: string;
  /** With `thread`: runs whose `carriedUpTo` is this or less, for lists that go on where one ended. */
  readonly carriedUntil?: number;
  /** Runs that have all of these, whatever others they have. */
  readonly labels?: Labels;
  /** Default 100. */
  readonly limit?: number;
}

export interface AnswerOptions {
  /** Who answers: written into the journal. */
  readonly by?: string;
}

export interface ResumeOptions {
  /** Continue although the graph's fingerprint is not the run's. Records are matched by node name. */
  readonly allowGraphChange?: boolean;
}

export interface DeleteThreadOptions {
  /** Cancel the run that has not ended. Default false: it is refused. */
  readonly cancel?: boolean;
}

export interface ShutdownOptions {
  /** How long bodies may take to finish; then they are aborted, and run again where their run goes on. Default 20 s. */
  readonly grace?: Duration;
}

export interface Engine extends AsyncDisposable {
  /** Runs to the end and returns the output (streams as arrays), or throws a `MillraceError`. */
  run<I, O>(graph: Runnable<I, O>, input: NoInfer<I>, options?: RunOptions): Promise<Output<O>>;
  /** Resolves once the run is durable. */
  start<I, O>(graph: Runnable<I, O>, input: NoInfer<I>, options?: RunOptions): Promise<Handle<O>>;
  /** Continues a drained or orphaned run, or returns the handle of one that is running here. */
  resume(runId: string, options?: ResumeOptions): Promise<Handle<unknown>>;
  /**
   * The handle of a run, wherever it is driven and whatever became of it: nothing is taken over for it. Of a run that is not driven
   * here it follows the journal, and asks by the run's inbox; live inputs and outputs are where it is driven alone.
   *
   * @throws MillraceError `RunNotFound`
   */
  handle(runId: string): Promise<Handle<unknown>>;
  get(runId: string): Promise<RunInfo | undefined>;
  list(filter?: ListFilter): Promise<RunRow[]>;
  /**
   * What the runs of a thread carry on: the accumulated values of its cells, by name. Empty: there is no such thread. `upTo`: as
   * a run with that `carriedUpTo` found it.
   */
  carried(thread: string, upTo?: number): Promise<Cells>;
  /**
   * Deletes a thread, with all its runs and what it carries, for good. How many runs that were. One with a run that has not ended is
   * refused as `ThreadBusy`, unless that is to be cancelled.
   */
  deleteThread(thread: string, options?: DeleteThreadOptions): Promise<number>;
  /** The graphs whose runs it goes on with. */
  readonly graphs: readonly { readonly name: string; readonly fingerprint: string }[];
  /**
   * `handle.stream` of a handle, or of a run that goes on here, by its id. Of any other, what it did is read from the backend,
   * with the graph of that name in `graphs`, and, while another engine drives it, what it does: behind each record, as soon as
   * that is seen here. What is in no journal is told where the run goes on alone.
   *
   * @throws MillraceError `RunNotFound`, `UnknownGraph`, and what `handle.stream` throws; while reading `HistoryCompacted` when what is
   * wanted was compacted, and `RunOnHold` when nobody goes on with the run
   */
  stream<const M extends StreamMode, O = unknown>(
    run: string | Handle<O>,
    modes: M | readonly M[],
    options?: StreamOptions,
  ): Promise<RunStream<Extract<StreamEvent<O>, { readonly mode: M }>>>;
  /**
   * Starts a new run that begins as a stored one stood behind a record, whatever became of that one, which is read only. It
   * keeps what was done by then, but for what is different and what follows from that by data, `after`, a cell or a
   * decision: that runs again, with keys of its own; questions that were open are asked again.
   *
   * @throws MillraceError `RunNotFound`, `UnknownGraph`, `FingerprintMismatch`, `SeqOutOfRange`, `NoSuchNode`, `InvalidValue`,
   * `Unencodable`, `RunExists`; `NothingToFork` when the run had ended by then and nothing is different.
   */
  fork(runId: string, options?: ForkOptions): Promise<Handle<unknown>>;
  /**
   * What `fork` would keep and do, without making it: edges and reducers run, bodies do not, and nothing is written.
   *
   * @throws MillraceError what `fork` throws, but for `RunExists`
   */
  previewFork(runId: string, options?: ForkOptions): Promise<ForkPreview>;
  /**
   * The records of a stored run, as far as they are durable when it is asked for, in their order and with their values; the
   * graph need not be known. Read while it is iterated over, a commit at a time.
   *
   * @throws MillraceError while it is read: `RunNotFound`, `SeqOutOfRange`, `JournalCorrupt`
   */
  history(runId: string, options?: HistoryOptions): AsyncIterable<HistoryEntry>;
  /**
   * A stored run as it was behind a record: cells are folded again, so its graph must be among `graphs`.
   *
   * @throws MillraceError `RunNotFound`, `SeqOutOfRange`, `UnknownGraph`, `FingerprintMismatch`
   */
  stateAt(runId: string, seq: number, options?: StateOptions): Promise<RunAt>;
  /**
   * Removes the records of a run before its last snapshot, for good: what it goes on with, its result and its counts stay.
   * Of a run that this engine drives, or that nobody does.
   *
   * @throws MillraceError `RunNotFound`, `NotCompactable`, `JournalCorrupt`
   */
  compact(runId: string): Promise<Compacted>;
  /** Also of a run that another engine drives: resolves when that has taken it up, to what the run actually ended as. */
  cancel(runId: string, reason?: string): Promise<RunResult<unknown>>;
  /**
   * Answers a question of a run, as `handle.answer` does. A run that waits in the backend goes on here; for one that another
   * engine drives, or whose graph this one does not have, the answer is left in its inbox.
   */
  answer(runId: string, which: string, value: unknown, options?: AnswerOptions): Promise<Handle<unknown>>;
  /** One run, whichever engine drives it, or every run of this one. They are held until somebody resumes them. */
  drain(runId?: string): Promise<void>;
  /** Handles of the orphaned runs taken over when the engine opened. */
  readonly recovered: readonly Handle<unknown>[];
  /**
   * For a process that is asked to stop: takes nothing new, lets bodies finish, gives every run to whichever engine comes
   * first, at no cost of an attempt, and closes.
   */
  shutdown(options?: ShutdownOptions): Promise<void>;
  /** Drains nothing: bodies are aborted and unfinished runs stay in the backend for the next engine. */
  close(): Promise<void>;
}
