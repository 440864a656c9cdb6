/** The runs that this engine drives, from their first record or from their journal to their end. */
import { errorOf, MillraceError } from "../base/error.ts";
import { decode } from "../journal/codec/codec.ts";
import { blobsNamed } from "../journal/blobs.ts";
import { encodeAs } from "../journal/encode-as.ts";
import { startedRecord, type Terms } from "../journal/started.ts";
import { rebuildLive, type TakeOver } from "./rebuild-live.ts";
import { takeDecided, takeDropped } from "../journal/texts.ts";
import type { Plan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import type { Host } from "../runtime/host.ts";
import { RunObserver } from "../runtime/observe.ts";
import { Runner } from "../runtime/runner.ts";
import type { Outcome, RunnerOptions } from "../runtime/outcome.ts";
import { programOf } from "../state/program.ts";
import { RunState } from "../state/run-state.ts";
import type { EngineOptions } from "./api.ts";
import { Adoptions } from "./adoptions.ts";
import { ArrivingMail } from "./arriving-mail.ts";
import { Aside } from "./aside.ts";
import { createRun, type FirstRow } from "./create-run.ts";
import type { Fork } from "./fork.ts";
import { checkResumable, resumable } from "./resumable.ts";
import { KnownThreads } from "./known-threads.ts";
import { Journals } from "./journals.ts";
import { checkDurability } from "./ready.ts";
import { Registry } from "./registry.ts";
import { LiveRun, type LiveRunOwner } from "./live-run.ts";
import { unheardOf } from "./result.ts";
import { lookoutOf, type Lookout } from "./lookout.ts";
import { ParkedRuns } from "./parked-runs.ts";
import { GivenUp } from "./given-up.ts";
import { checkFollows, runElsewhere, runExists, runNotFound } from "./run-errors.ts";

/** Errors after which a run is another owner's, or nobody's by design. */
const mostTries = 20;
const notOurs = new Set(["LeaseLost", "EngineClosed"]);

export class LiveRuns implements LiveRunOwner {
  readonly #host: Host;
  readonly #options: EngineOptions;
  readonly #runnerOptions: RunnerOptions;
  readonly #registry: Registry = new Registry();
  readonly givenUp: GivenUp;
  readonly #threads: KnownThreads = new KnownThreads();
  readonly #journals: Journals;
  /** For runs of others; null: there is no backend that they could be in. */
  readonly lookout: Lookout | null;
  /** Runs that wait in the backend for answers. */
  readonly parked: ParkedRuns;
  /** Take-overs under way. */
  #closed: Error | null = null;
  /** Runs whose records are being written before the backend is closed. */
  readonly #leaving: Promise<void>[] = [];
  readonly adoptions: Adoptions = new Adoptions();
  readonly #arriving: ArrivingMail = new ArrivingMail();
  readonly #taking: Map<string, Promise<LiveRun>> = new Map();

  constructor(host: Host, options: EngineOptions) {
    this.#host = host;
    this.#options = options;
    const { durability = "sync", runConcurrency = 64 } = options;
    this.#runnerOptions = { durability, cap: runConcurrency };
    this.givenUp = new GivenUp(host);
    this.#journals = new Journals(host, options);
    this.lookout = lookoutOf(options, host.clock);
    this.parked = new ParkedRuns(host, async (runId) => (await this.#reopen(runId)).wake());
  }

  get backend(): Backend | null {
    return this.#options.backend ?? null;
  }

  get(runId: string): LiveRun | undefined {
    return this.#registry.get(runId);
  }

  all(): LiveRun[] {
    return this.#registry.all();
  }

  /** A run that lives in this process only. */
  start(plan: Plan, runId: string | null, input: unknown, terms: Terms): LiveRun {
    if (runId !== null && this.#registry.get(runId) !== undefined) throw runExists(runId);
    const run = this.#newRun(plan, runId, terms);
    this.#registry.add(run);
    this.#begin(plan, run, input);
    return run;
  }

  /** N2: resolves once the run is durable; nothing of it ran before. */
  async startDurable(
    backend: Backend,
    plan: Plan,
    runId: string | null,
    input: unknown,
    terms: Terms,
  ): Promise<LiveRun> {
    if (runId !== null && this.#registry.get(runId) !== undefined) throw runExists(runId);
    const encoded = encodeAs("input", input);
    // Another run of its thread may end while this one begins: then it begins again, with what that one left.
    for (let tries = 0; tries < mostTries; tries++) {
      const run = this.#newRun(plan, runId, terms);
      run.runner.state.journaled = true;
      const found = terms.thread === null ? null : await this.#threads.read(backend, terms.thread);
      run.runner.state.thread = found;
      // The run's own copy, as a resume would read it: the caller may go on changing theirs.
      this.#begin(plan, run, decode(encoded));
      if (!(await this.#create(backend, plan, run, encoded, terms, found?.last))) {
        await checkFollows(backend, terms);
        continue;
      }
      this.#registry.add(run);
      return run;
    }
    throw errorOf("ThreadBusy.moving", { thread: terms.thread ?? "" });
  }

  /** The same for a run that begins with what it kept of another one. */
  async startFork({ backend, plan, runId, terms, begin }: Fork): Promise<LiveRun> {
    if (runId !== null && this.#registry.get(runId) !== undefined) throw runExists(runId);
    const run = this.#newRun(plan, runId, terms);
    const { state, observe } = run.runner;
    state.journaled = true;
    this.#tellStarted(plan, run, true);
    const at = this.#host.clock.now();
    const records = observe === null ? begin(state, at) : observe.recalling(() => begin(state, at));
    await this.#createWith(backend, plan, run, { records, blobs: blobsNamed(records), at }, terms);
    this.#registry.add(run);
    return run;
  }

  #begin(plan: Plan, run: LiveRun, input: unknown): void {
    this.#tellStarted(plan, run, false);
    run.runner.begin(input);
  }

  #tellStarted(plan: Plan, run: LiveRun, replayed: boolean): void {
    const { observer } = this.#host;
    if (observer === null) return;
    const { tags, thread } = run.runner.state;
    observer.runStarted?.({ runId: run.runId, graph: plan.name, replayed, ...tags, thread: thread?.name ?? null });
  }

  /** False: the thread went on in the meantime. */
  async #create(
    backend: Backend,
    plan: Plan,
    run: LiveRun,
    input: string,
    terms: Terms,
    carriedUpTo: number | undefined,
  ): Promise<boolean> {
    const at = this.#host.clock.now();
    const { state } = run.runner;
    const records = [startedRecord(plan, input, terms, at), ...takeDecided(state), ...takeDropped(state)];
    return this.#createWith(backend, plan, run, { records, carriedUpTo, at }, terms);
  }

  async #createWith(backend: Backend, plan: Plan, run: LiveRun, first: FirstRow, terms: Terms): Promise<boolean> {
    const position = await createRun(backend, plan, run.runId, first, terms, (unsure) => {
      // Another start under that id may have been first.
      if (this.#registry.get(unsure.id) === undefined) this.givenUp.unbegun(backend, unsure, false);
    });
    if (position !== null) this.#journals.write(backend, run, position);
    return position !== null;
  }

  /** A run of a dead process that waits: its timers are this engine's from now on. */
  watch(row: RunRow, plan: Plan): void {
    // One that was taken up meanwhile and put aside again is known, and somebody may hold its handle.
    if (this.parked.planOf(row.id) === undefined) this.parked.add(row.id, plan, row.wakeAt, null);
  }

  /** Of a run that this engine put aside. */
  parkedPlan(runId: string): Plan | undefined {
    return this.parked.planOf(runId);
  }

  /** It is this engine's again, wherever it was put aside; it goes on when it is woken. */
  async #reopen(runId: string, plan = this.parked.planOf(runId)): Promise<LiveRun> {
    const live = this.#registry.get(runId);
    if (live !== undefined) return live;
    const { backend } = this;
    const row = plan === undefined ? undefined : await backend?.get(runId);
    if (backend === null || plan === undefined || row === undefined) throw runNotFound(runId, "this engine");
    return this.takeOver(backend, row, plan);
  }

  nameRun(run: LiveRun): string {
    const runId = this.#host.entropy.runId(this.#host.clock.now());
    this.#registry.name(run, runId);
    return runId;
  }

  #newRun(plan: Plan, runId: string | null, { errors, caller, tags }: Terms): LiveRun {
    const run = new LiveRun(runId, plan.name, this);
    const state = new RunState(programOf(checkDurability(plan, this.#options.durability)), run, errors === "raise");
    state.callerValues = caller;
    state.tags = tags;
    return this.#drive(run, state);
  }

  #drive(run: LiveRun, state: RunState): LiveRun {
    const observe = this.#observerOf(state);
    state.probe = observe;
    state.check = this.#options.check ?? null;
    run.runner = new Runner(this.#host, state, this.#runnerOptions, observe, run);
    return run;
  }

  /** A state that was rebuilt has one already, which knows of the attempts that failed. */
  #observerOf(state: RunState): RunObserver | null {
    if (state.probe instanceof RunObserver) return state.probe;
    const { observer, clock } = this.#host;
    return observer === null ? null : new RunObserver([observer], clock, state);
  }

  ended(run: LiveRun, outcome: Outcome | Error): void {
    const aside = !(outcome instanceof Error) && (outcome.status === "drained" || outcome.status === "interrupted");
    if (!aside || this.#options.backend !== undefined) this.#registry.remove(run);
    if (outcome instanceof Error) return this.#giveUp(run, outcome);
    if (this.backend !== null) this.#keepAside(run, outcome, aside);
    this.#host.observer?.runEnded?.({ runId: run.runId, status: outcome.status });
    const warning = outcome.errors.length > 0 ? unheardOf(run, outcome) : undefined;
    if (warning !== undefined) this.#host.warn(warning);
  }

  #keepAside(run: LiveRun, { status, wake = null }: Outcome, aside: boolean): void {
    this.givenUp.wentWell(run.runId);
    if (!aside) this.#journals.forget(run.runId);
    if (aside) this.parked.add(run.runId, run.runner.state.program.plan, wake, run);
    if (status === "drained" && this.backend !== null) this.parked.lookAgainAt(this.backend, run.runId);
  }

  /**
   * A run lost to a failing backend is released for whoever can write again, as soon as that can be written; one lost to
   * another owner is not ours to release.
   */
  #giveUp(run: LiveRun, error: Error): void {
    const { backend } = this.#options;
    if (backend === undefined || (error instanceof MillraceError && notOurs.has(error.code))) return;
    this.givenUp.lost(backend, run);
  }

  /** N1: whoever asks for a run while it is being taken over gets the same one. */
  takeOver(backend: Backend, row: RunRow, plan: Plan, allowGraphChange = false): Promise<LiveRun> {
    const live = this.#registry.get(row.id);
    if (live !== undefined) return Promise.resolve(live);
    const taking =
      this.#taking.get(row.id) ??
      this.#take(backend, row, plan, allowGraphChange).finally(() => this.#taking.delete(row.id));
    this.#taking.set(row.id, taking);
    return taking;
  }

  /** Goes on with a run that was claimed already. */
  adopt(backend: Backend, claimed: RunRow, plan: Plan): Promise<LiveRun> {
    return this.#goOnWith(backend, claimed, { plan, allowGraphChange: false, released: claimed.attempts === 0 });
  }

  /** What came from outside for runs of this engine. */
  async deliver(backend: Backend, runId: string): Promise<void> {
    const run = this.#registry.get(runId);
    if (run === undefined) return this.#arriving.came(runId);
    // One that is being put aside goes on, or becomes queued, by itself.
    if (run.settling) return;
    await run.deliver(await backend.inbox(runId));
  }

  /** The leases are renewed: what waited for that may go. */
  renewed(): void {
    for (const run of this.all()) run.runner.onDurable();
  }

  get aside(): Aside {
    const { lookout } = this;
    if (lookout === null) throw errorOf("InvariantBroken.runner", {});
    return new Aside({
      lookout,
      host: this.#host,
      here: (runId) => this.#here(runId),
      closed: () => this.#closed,
      reopen: (runId, plan) => this.#reopen(runId, plan),
    });
  }

  async #here(runId: string): Promise<LiveRun | undefined> {
    if (this.#registry.get(runId) === undefined) {
      await this.#taking.get(runId)?.catch(() => undefined);
      await this.adoptions.over(runId);
    }
    return this.#registry.get(runId);
  }

  /** N3: the backend's claim decides who may continue a run, never a timestamp. */
  async #take(backend: Backend, row: RunRow, plan: Plan, allowGraphChange: boolean, tries = 0): Promise<LiveRun> {
    checkResumable(row, plan, allowGraphChange);
    await this.givenUp.releaseNow(backend, row.id);
    const [claimed] = await backend.claim({ runId: row.id, statuses: resumable, limit: 1, at: this.#host.clock.now() });
    if (claimed === undefined) return this.#adopted(backend, row, plan, allowGraphChange, tries);
    try {
      return await this.#goOnWith(backend, claimed, { plan, allowGraphChange, released: row.owner === null });
    } catch (error) {
      this.givenUp.unbegun(backend, claimed, false);
      throw error;
    }
  }

  /** Somebody else has it, be it this engine's own watch, which may have put it aside again by now. */
  async #adopted(
    backend: Backend,
    row: RunRow,
    plan: Plan,
    allowGraphChange: boolean,
    tries: number,
  ): Promise<LiveRun> {
    await this.adoptions.over(row.id);
    const live = this.#registry.get(row.id);
    if (live !== undefined) return live;
    const now = await backend.get(row.id);
    const isFree = now !== undefined && now.owner === null && this.#closed === null;
    if (!isFree || tries >= 3) throw runElsewhere(row.id);
    return this.#take(backend, now, plan, allowGraphChange, tries + 1);
  }

  #goOnWith(backend: Backend, claimed: RunRow, taking: TakeOver): Promise<LiveRun> {
    this.parked.takenUp(claimed.id);
    this.#registry.supersede(claimed.id, claimed.epoch);
    const { plan, released } = taking;
    const rebuild = () => rebuildLive(this.#host, this.#options, backend, claimed, taking);
    return this.#arriving.during(backend, claimed.id, rebuild, (rebuilt, mail) => {
      // Nothing may go on in an engine that was closed meanwhile.
      if (this.#closed !== null) throw this.#closed;
      const run = this.#drive(new LiveRun(claimed.id, plan.name, this), rebuilt.run);
      run.takenOver(released, mail);
      this.#journals.goOn(backend, run, claimed, rebuilt);
      this.#registry.add(run);
      this.parked.wentOn(run);
      return run;
    });
  }

  /** After `abandon`, and when the watch has stopped. */
  async close(): Promise<void> {
    const { backend } = this;
    if (backend === null) return;
    await Promise.all(this.#leaving);
    await this.adoptions.leave(backend);
    await backend.close();
  }

  /** Bodies are aborted; unfinished runs stay in the backend for the next engine. */
  abandon(error: Error): void {
    this.#closed = error;
    this.parked.close();
    this.lookout?.close();
    for (const { runner } of this.all()) {
      runner.onLost(error);
      if (runner.recorder !== null) this.#leaving.push(runner.recorder.leave());
    }
    this.#journals.close();
  }
}
