/**
 * The engine: runs graphs, and runs of earlier processes to their end.
 *
 * N1  A run is in at most one runner of this process.
 * N2  `start` resolves after the run is durable; nothing of it ran before.
 * N3  A run is resumed only by its owner: the backend's claim decides, never a timestamp.
 */
import { parseDuration } from "../base/duration.ts";
import { planOf } from "../build/plan-of.ts";
import { errorOf, type MillraceError } from "../base/error.ts";
import type { Output } from "../model/ref.ts";
import type { Runnable } from "../model/op.ts";
import type { Plan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import { validate } from "../runtime/validate.ts";
import type { Terms } from "../journal/started.ts";
import type {
  AnswerOptions,
  Engine,
  EngineOptions,
  Handle,
  ResumeOptions,
  RunInfo,
  RunOptions,
  RunResult,
  ShutdownOptions,
} from "./api.ts";
import { callerValues } from "./caller-context.ts";
import { cancelOn } from "./cancel-on.ts";
import { noteClock } from "./clock-of.ts";
import { Elsewhere } from "./elsewhere.ts";
import { Graphs } from "./graphs.ts";
import { handOver } from "./hand-over.ts";
import { hostOf, type EngineHost } from "./host.ts";
import type { LiveRun } from "./live-run.ts";
import { LiveRuns } from "./live-runs.ts";
import { resumable } from "./resumable.ts";
import {
  checkAnswerOptions,
  checkOptions,
  checkResumeOptions,
  checkRunId,
  checkRunOptions,
  checkShutdownOptions,
  checkThread,
} from "./options.ts";
import { PastRuns } from "./past-runs.ts";
import { backendReady, checkHost, hostReady, waitsForHost, workersReady } from "./ready.ts";
import { RemoteRun } from "./remote-run.ts";
import { limitsOf } from "./journals.ts";
import { engineClosed, noBackend, runEnded, runNotFound } from "./run-errors.ts";
import type { RunStream, StreamEvent, StreamMode, StreamOptions } from "./stream/events.ts";
import { StoredThreads } from "./stored-threads.ts";
import { tagsOf } from "./tags.ts";
import { Watch, watchOptions } from "./watch.ts";

/**
 * Opens an engine, and with a backend takes over the runs of `graphs` that a dead process left behind.
 *
 * @throws MillraceError `InvalidOption` for a wrong setting; the backend's own errors when it cannot be opened.
 */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  checkOptions(options);
  const engine = new LocalEngine(options);
  try {
    await engine.open();
  } catch (error) {
    await engine.close();
    throw error;
  }
  return engine;
}

const noOptions: RunOptions = {};

class LocalEngine implements Engine {
  readonly #options: EngineOptions;
  readonly #backend: Backend | null;
  readonly #host: EngineHost;
  readonly #graphs: Graphs;
  readonly #runs: LiveRuns;
  readonly #elsewhere: Elsewhere;
  readonly #past: PastRuns;
  readonly #stored: StoredThreads;
  readonly recovered: Handle<unknown>[] = [];
  #executorOpen = false;
  #watch: Watch | null = null;
  #closing: Promise<void> | null = null;
  /** Until it is shut down. */
  #takesNew = true;
  #closed = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#backend = options.backend ?? null;
    this.#host = hostOf(options);
    noteClock(this, this.#host.clock);
    this.#graphs = new Graphs(options.graphs ?? []);
    this.#runs = new LiveRuns(this.#host, options);
    const planOf = (row: RunRow): Plan | undefined => this.#runs.parkedPlan(row.id) ?? this.#graphs.find(row.graph);
    this.#elsewhere = new Elsewhere(this.#runs.lookout, this.#host, planOf, () => this.#checkOpen());
    this.#stored = new StoredThreads(this.#host.clock, (what) => this.#backendOr(() => noBackend(what)));
    this.#past = new PastRuns(this.#host.clock, this.#graphs, (runId) => this.#backendFor(runId));
  }

  async open(): Promise<void> {
    const backend = this.#backend;
    for (const plan of this.#graphs.all()) checkHost(this.#host, plan, this.#options);
    this.#host.executor?.open();
    this.#host.tasks?.open();
    this.#executorOpen = true;
    this.#host.traces?.sees([...this.#graphs.all()]);
    await this.#host.resources.open();
    for (const plan of this.#graphs.all()) await workersReady(this.#host, plan);
    if (backend === null) return;
    await backendReady(backend, this.#host, this.#graphs.all());
    this.#watch = new Watch(this.#host, backend, this.#runs, [...this.#graphs.all()], watchOptions(this.#options));
    this.recovered.push(...(await this.#watch.start()));
  }

  get graphs(): Engine["graphs"] {
    return [...this.#graphs.all()].map(({ name, fingerprint }) => ({ name, fingerprint }));
  }

  run<I, O>(graph: Runnable<I, O>, input: NoInfer<I>, options: RunOptions = noOptions): Promise<Output<O>> {
    try {
      const run = this.#start(graph, input, options);
      // Live runs hold outputs as unknown; their type is the graph's.
      return (run instanceof Promise ? run.then((live) => live.output()) : run.output()) as Promise<Output<O>>;
    } catch (error) {
      return Promise.reject<Output<O>>(error);
    }
  }

  async start<I, O>(graph: Runnable<I, O>, input: NoInfer<I>, options: RunOptions = noOptions): Promise<Handle<O>> {
    const run = await this.#start(graph, input, options, true);
    return run as unknown as Handle<O>;
  }

  /** Without a backend and an asynchronous schema there is nothing to wait for, and ten thousand runs notice. */
  #start(
    graph: Runnable<never, unknown>,
    input: unknown,
    options: RunOptions,
    read = false,
  ): LiveRun | Promise<LiveRun> {
    this.#checkTakesNew();
    if (options !== noOptions) checkRunOptions(options);
    const terms = this.#termsOf(options);
    const plan = planOf(graph);
    const runId = options.id === undefined ? null : checkRunId(options.id);
    if (options.signal?.aborted === true) throw errorOf("RunCancelled.before", { graph: plan.name });
    const valid = plan.input === null ? input : validate(plan.input, input, `the input of "${plan.name}"`);
    if (plan.contexts.length > 0 || waitsForHost(plan)) return this.#prepare(plan, runId, valid, terms, options, read);
    if (valid instanceof Promise)
      return valid.then((settled) => this.#startWith(plan, runId, settled, terms, options, read));
    return this.#startWith(plan, runId, valid, terms, options, read);
  }

  #termsOf(options: RunOptions): Terms {
    const errors = options.errors ?? this.#options.errors ?? "record";
    const thread = options.thread === undefined ? null : checkThread(options.thread);
    if (thread !== null && this.#backend === null) throw noBackend("a thread");
    const limits = limitsOf(options, this.#backend);
    return { errors, caller: null, tags: tagsOf(options), thread, follows: options.follows, limits };
  }

  /** What else must be there before a run is. */
  async #prepare(
    plan: Plan,
    runId: string | null,
    valid: unknown,
    terms: Terms,
    options: RunOptions,
    read: boolean,
  ): Promise<LiveRun> {
    const input = await valid;
    const caller = await callerValues(plan, options.context);
    await hostReady(this.#host, plan);
    return this.#startWith(plan, runId, input, { ...terms, caller }, options, read);
  }

  #startWith(
    plan: Plan,
    runId: string | null,
    input: unknown,
    terms: Terms,
    options: RunOptions,
    read: boolean,
  ): LiveRun | Promise<LiveRun> {
    if (this.#host.traces !== null) this.#host.traces.sees([plan]);
    if (this.#backend === null) return this.#release(this.#runs.start(plan, runId, input, terms), options.signal, read);
    return this.#runs
      .startDurable(this.#backend, plan, runId, input, terms)
      .catch((error: unknown) => {
        throw this.#closed ? engineClosed() : error;
      })
      .then((run) => this.#release(run, options.signal, read));
  }

  /**
   * An engine that was closed meanwhile starts nothing: the run is durable, and the next engine takes it over. `read`: its
   * caller gets a handle, and whoever begins to read with it in the same turn of the host's loop misses nothing.
   */
  #release(run: LiveRun, signal: AbortSignal | undefined, read: boolean): LiveRun {
    if (this.#closed) {
      run.runner.onLost(engineClosed());
      throw engineClosed();
    }
    if (signal !== undefined) cancelOn(signal, run, this);
    if (read && this.#backend === null) this.#host.clock.defer(() => run.runner.release());
    else run.runner.release();
    return run;
  }

  async stream<const M extends StreamMode, O>(
    run: string | Handle<O>,
    modes: M | readonly M[],
    options: StreamOptions = {},
  ): Promise<RunStream<Extract<StreamEvent<O>, { readonly mode: M }>>> {
    if (typeof run !== "string") return run.stream(modes, options);
    const live = this.#runs.get(run);
    if (live !== undefined) return live.stream(modes, options);
    const row = await this.#past.row(run);
    if (this.#runs.parkedPlan(run) === undefined) this.#graphs.of(row);
    return this.#elsewhere.asOf(row).stream(modes, options);
  }

  async handle(runId: string): Promise<Handle<unknown>> {
    return this.#runs.get(runId) ?? this.#elsewhere.seen(await this.#past.row(runId));
  }

  async resume(runId: string, options: ResumeOptions = {}): Promise<Handle<unknown>> {
    checkResumeOptions(options);
    const live = this.#runs.get(runId);
    if (live?.settling === true) await live.result();
    const run = this.#runs.get(runId) ?? (await this.#takeOver(runId, true, options.allowGraphChange));
    this.#checkOpen();
    run.wake();
    return run;
  }

  /** `goesOn`: its ops will run, so what they need must be there first. */
  async #takeOver(runId: string, goesOn: boolean, allowGraphChange = false): Promise<LiveRun> {
    if (goesOn) this.#checkTakesNew();
    const backend = this.#backendFor(runId);
    const row = await this.#past.row(runId);
    if (!resumable.includes(row.status)) throw runEnded(row);
    const plan = this.#runs.parkedPlan(runId) ?? this.#graphs.of(row);
    if (goesOn) await hostReady(this.#host, plan);
    return this.#runs.takeOver(backend, row, plan, allowGraphChange);
  }

  get(runId: string): Promise<RunInfo | undefined> {
    return this.#past.get(runId);
  }

  async fork(...[runId, options = {}]: Parameters<Engine["fork"]>): Promise<Handle<unknown>> {
    const fork = await this.#past.fork(runId, options);
    await hostReady(this.#host, fork.plan);
    return this.#release(await this.#runs.startFork(fork), undefined, false);
  }

  // What is read of the past is read by others.
  readonly previewFork: Engine["previewFork"] = (runId, options = {}) => this.#past.previewFork(runId, options);
  readonly history: Engine["history"] = (runId, options = {}) => this.#past.history(runId, options);
  readonly compact: Engine["compact"] = (runId) => this.#past.compact(runId, this.#runs.get(runId) !== undefined);
  readonly stateAt: Engine["stateAt"] = (runId, seq, options = {}) => this.#past.stateAt(runId, seq, options);

  readonly list: Engine["list"] = (filter = {}) => this.#stored.list(filter);
  readonly carried: Engine["carried"] = (thread, upTo) => this.#stored.carried(thread, upTo);
  readonly deleteThread: Engine["deleteThread"] = (thread, options = {}) =>
    this.#stored.deleteThread(thread, options, (runId) => this.cancel(runId, "its thread is deleted"));

  /** A run that nobody drives is taken over as it stands; nothing of it starts before the cancel is recorded. */
  async cancel(runId: string, reason = "cancelled by the caller"): Promise<RunResult<unknown>> {
    const run = this.#runs.get(runId) ?? (await this.#here(runId, false));
    return run.cancel(reason);
  }

  async answer(runId: string, which: string, value: unknown, options: AnswerOptions = {}): Promise<Handle<unknown>> {
    checkAnswerOptions(options);
    const run = this.#runs.get(runId) ?? (await this.#here(runId, true));
    this.#checkOpen();
    await run.answer(which, value, options);
    return run;
  }

  /** The run, taken over if that can be; else as it is seen from here. */
  #here(runId: string, goesOn: boolean): Promise<LiveRun | RemoteRun> {
    return this.#elsewhere.unless(runId, goesOn, () => this.#takeOver(runId, goesOn));
  }

  async drain(runId?: string): Promise<void> {
    this.#checkOpen();
    if (runId === undefined) {
      await Promise.all(this.#runs.all().map((run) => run.drain()));
      return;
    }
    await (this.#runs.get(runId)?.drain() ?? this.#drainAside(runId));
  }

  async #drainAside(runId: string): Promise<void> {
    if (await this.#elsewhere.isAtRest(runId)) return;
    const run = await this.#here(runId, true);
    if (!(run instanceof RemoteRun)) run.wake();
    await run.drain();
  }

  #backendFor(runId: string): Backend {
    return this.#backendOr(() => runNotFound(runId, "this engine, which has no backend"));
  }

  #backendOr(none: () => MillraceError): Backend {
    this.#checkOpen();
    if (this.#backend === null) throw none();
    return this.#backend;
  }

  #checkOpen(): void {
    if (this.#closed) throw engineClosed();
  }

  #checkTakesNew(): void {
    if (this.#closed || !this.#takesNew) throw engineClosed();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed = true;
    const watched = this.#watch?.stop();
    this.#host.turnstile.close();
    this.#runs.abandon(errorOf("EngineClosed.running", {}));
    this.#host.deadlines.close();
    if (this.#executorOpen) await Promise.all([this.#host.executor?.close(), this.#host.tasks?.close()]);
    await this.#host.resources.close(this.#host.warn);
    await watched;
    await this.#runs.close();
    await this.#host.traces?.close();
  }

  /** Gives every run back at a point where it loses nothing, then closes. */
  async shutdown({ grace = "20s" }: ShutdownOptions = {}): Promise<void> {
    this.#checkOpen();
    checkShutdownOptions({ grace });
    this.#takesNew = false;
    await this.#watch?.stop();
    await handOver(this.#runs.all(), this.#host.clock, parseDuration(grace, "grace of the shutdown"));
    await this.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
