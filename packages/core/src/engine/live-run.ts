import { errorOf, type MillraceError } from "../base/error.ts";
import type { Output } from "../model/ref.ts";
import type { Runner } from "../runtime/runner.ts";
import type { Outcome, RunOwner } from "../runtime/outcome.ts";
import { noLabels, type Labels } from "../model/tags.ts";
import type { Backend } from "../ports/backend.ts";
import type { Interrupt } from "../events/interrupt.ts";
import type { Note } from "../ports/inbox.ts";
import { answerQuestion, takeNote } from "../runtime/answer.ts";
import { checkLiveOutput, openPort, sendInto } from "../runtime/live-ports.ts";
import { interruptsOf } from "../runtime/questions.ts";
import type { AnswerOptions, Handle, RunResult } from "./api.ts";
import type { Aside } from "./aside.ts";
import { isEnded } from "./run-errors.ts";
import { checkAnswerOptions } from "./options.ts";
import type { RemoteRun } from "./remote-run.ts";
import { cellsOf, outcomeError, resultOf } from "./result.ts";
import type { ItemsOptions, StreamEvent, StreamMode, StreamOptions } from "./stream/events.ts";
import type { FollowedRun } from "./stream/followed.ts";
import type { Iteration } from "./stream/iteration.ts";
import { itemsOfLive } from "./stream/open-items.ts";
import { streamOfLive, type LiveSource } from "./stream/open-stream.ts";

/** What a live run tells the engine. */
export interface LiveRunOwner {
  ended(run: LiveRun, outcome: Outcome | Error): void;
  /** Makes the run's id. */
  nameRun(run: LiveRun): string;
  /** Null: the run lives in this process only. */
  readonly backend: Backend | null;
  /** Of a run that was put aside into the backend. */
  readonly aside: Aside;
}

/** Somebody who waits for the outcome: for the output of the run, or for its result. */
interface Waiter {
  readonly wantsOutput: boolean;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

function cancelledTooLate(runId: string): MillraceError {
  return errorOf("RunDrained.stale", { runId });
}

/** A run that this engine drives, and the handle that its callers hold. */
export class LiveRun implements Handle<unknown>, RunOwner, LiveSource {
  readonly graph: string;
  readonly #owner: LiveRunOwner;
  /** Taken over when the engine opened: nobody may hold its handle. */
  recovered = false;
  /** Of this engine's ownership; raised by every take-over. */
  epoch = 1;
  /** Its owner before had not died, but given it away as it stood. */
  #released = false;
  /** Taken over with it, not taken up yet. */
  #mail: readonly Note[] = [];
  /** Neighbours among the runs of the engine. */
  previous: LiveRun | null = null;
  next: LiveRun | null = null;
  #runId: string | null;
  #runner: Runner | null = null;
  #outcome: Outcome | Error | null = null;
  #error: Error | null = null;
  #waiters: Waiter[] | null = null;
  #listeners: (() => void)[] | null = null;
  /** The run that went on after this one was put aside. */
  #successor: LiveRun | null = null;
  /** The same, in another engine, as it was last looked at. */
  #elsewhere: RemoteRun | null = null;
  /** Readers of its streams. */
  #readers: Set<(outcome: Outcome | Error) => void> | null = null;

  /** `runId` null: made when somebody asks. */
  constructor(runId: string | null, graph: string, owner: LiveRunOwner) {
    this.#runId = runId;
    this.graph = graph;
    this.#owner = owner;
  }

  get runId(): string {
    return (this.#runId ??= this.#owner.nameRun(this));
  }

  /** Somebody knows its id. */
  get named(): boolean {
    return this.#runId !== null;
  }

  get traceId(): string | undefined {
    return this.runner.state.tags?.traceId ?? undefined;
  }

  get labels(): Labels {
    return this.runner.state.tags?.labels ?? noLabels;
  }

  get runner(): Runner {
    if (this.#runner === null) throw errorOf("InvariantBroken.runner", {});
    return this.#runner;
  }

  set runner(runner: Runner) {
    this.#runner = runner;
  }

  /** Called when the run has ended, wherever that was, or is lost; at once if it has. */
  whenOver(callback: () => void): void {
    if (this.#outcome !== null && !this.#isAside) callback();
    else this.#listeners = [...(this.#listeners ?? []), callback];
  }

  /** It is put aside: whoever keeps it there calls them. */
  takeListeners(): readonly (() => void)[] {
    const listeners = this.#listeners ?? [];
    this.#listeners = null;
    return listeners;
  }

  /** Called with whatever it comes to next, also when it drains or is lost; at once if it has come to that. */
  onOutcome(callback: (outcome: Outcome | Error) => void): () => void {
    if (this.#outcome !== null) callback(this.#outcome);
    else (this.#readers ??= new Set()).add(callback);
    return () => void this.#readers?.delete(callback);
  }

  /** Called by the runner, once per end, drain, wait for answers, or loss. */
  settle(outcome: Outcome | Error): void {
    // Whoever reads along is told what the last step did before it is told that it was the last.
    if (this.#runner !== null && this.#runner.observe !== null) this.#runner.observe.flush();
    this.#outcome = outcome;
    this.#tellReaders(outcome);
    const waiters = this.#waiters;
    this.#waiters = null;
    this.#owner.ended(this, outcome);
    if (this.#listeners !== null && !this.#isAside) for (const listener of this.#listeners) listener();
    if (waiters !== null) for (const waiter of waiters) this.#tell(waiter, outcome);
  }

  /** A run that waits in this process goes on under its readers. */
  #tellReaders(outcome: Outcome | Error): void {
    const readers = this.#readers;
    if (readers === null || (this.interrupted && this.#owner.backend === null)) return;
    this.#readers = null;
    for (const reader of readers) reader(outcome);
  }

  /** The run waits for answers only, and goes on by itself: whoever asks from now on waits for what comes. */
  wokeUp(): void {
    this.#outcome = null;
  }

  /** It was asked to drain and has not yet, or is being put aside: it goes on only after that. */
  get settling(): boolean {
    const { state, resting, settling } = this.runner;
    return this.#outcome === null && ((state.draining && !resting) || settling);
  }

  /** Rebuilt from its journal: it rests until it is woken. */
  takenOver(released: boolean, mail: readonly Note[]): void {
    this.#released = released;
    this.#mail = mail;
    this.runner.rest();
  }

  /** Goes on after a drain or a take-over; a run that is going on already is not disturbed. */
  wake(): void {
    if (!this.runner.resting || this.runner.settling) return;
    this.#outcome = null;
    this.#error = null;
    const mail = this.#mail;
    this.#mail = [];
    const cancel = mail.find(({ kind }) => kind === "cancel");
    // Nothing of it starts before that is recorded.
    const taken = cancel === undefined ? this.#goOn(mail) : takeNote(this.runner, cancel);
    taken.catch((error: unknown) => this.runner.onLost(error as Error));
  }

  /** It does not come to rest again over what came for it. */
  #goOn(mail: readonly Note[]): Promise<void> {
    const { runner } = this;
    if (mail.length > 0)
      return this.#whileKept(() => {
        runner.resume(this.#released);
        return this.deliver(mail);
      });
    runner.resume(this.#released);
    return Promise.resolve();
  }

  get drained(): boolean {
    return this.#status === "drained";
  }

  /** It waits for answers only. */
  get interrupted(): boolean {
    return this.#status === "interrupted";
  }

  /** It has an outcome, and is not at its end. */
  get #isAside(): boolean {
    return this.drained || this.interrupted;
  }

  get #status(): Outcome["status"] | undefined {
    return this.#outcome === null || this.#outcome instanceof Error ? undefined : this.#outcome.status;
  }

  #tell(waiter: Waiter, outcome: Outcome | Error): void {
    if (outcome instanceof Error) waiter.reject(outcome);
    else if (!waiter.wantsOutput)
      waiter.resolve(resultOf(outcome, cellsOf(this.runner.state), this.runner.state.tags) as never);
    else if (outcome.status === "completed") waiter.resolve(outcome.output as never);
    else waiter.reject(this.#failure(outcome));
  }

  /** The same error for everybody who asks. */
  #failure(outcome: Outcome): Error {
    return (this.#error ??= outcomeError(this.runId, this.graph, outcome, this.runner.state.raised));
  }

  #wait<T>(wantsOutput: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiter: Waiter = { wantsOutput, resolve, reject };
      if (this.#outcome !== null) this.#tell(waiter, this.#outcome);
      else if (this.#waiters === null) this.#waiters = [waiter];
      else this.#waiters.push(waiter);
    });
  }

  /** The run went on as another after this one was put aside: whoever holds this handle is sent there. */
  follow(run: LiveRun): void {
    this.#successor = run;
  }

  get successor(): LiveRun | null {
    return this.#current === this ? null : this.#current;
  }

  /** The one that drives the run now: this, or the last of those that it was put aside for. */
  get #current(): LiveRun {
    if (this.#successor === null) return this;
    // Those in between are not kept.
    this.#successor = this.#successor.#current;
    return this.#successor;
  }

  result(): Promise<RunResult<unknown>> {
    const current = this.#current;
    if (!current.#isStored) return current.#wait(false);
    return current.#whereItIs().then((run) => (run === current ? current.#wait(false) : run.result()));
  }

  output(): Promise<Output<unknown>> {
    const current = this.#current;
    if (!current.#isStored) return current.#wait(true);
    return current.#whereItIs().then((run) => (run === current ? current.#wait(true) : run.output()));
  }

  /** Of a run that another engine went on with, as they were when this handle last looked. */
  interrupts(): readonly Interrupt[] {
    const current = this.#current;
    return current.#elsewhere?.interrupts() ?? interruptsOf(current.runner.state);
  }

  /** It was put aside, and any engine may have gone on with it. */
  get #isStored(): boolean {
    return this.#isAside && this.#owner.backend !== null;
  }

  async elsewhere(): Promise<FollowedRun | null> {
    if (!this.#isStored) return null;
    const run = await this.#whereItIs();
    return run instanceof LiveRun ? null : run.followed();
  }

  async #whereItIs(): Promise<LiveRun | RemoteRun> {
    const run = await this.#owner.aside.whereIs(this);
    this.#elsewhere = run instanceof LiveRun ? null : run;
    return run;
  }

  /** Of a run that was put aside into the backend, the answer is given to the run that goes on. */
  async answer(which: string, value: unknown, options: AnswerOptions = {}): Promise<void> {
    checkAnswerOptions(options);
    if (this.#outcome === null && this.runner.settling) await this.result();
    const current = this.#current;
    if (current !== this) return current.answer(which, value, options);
    if (this.#isStored) return this.#owner.aside.answer(this, which, value, options);
    await this.#whileKept(() => {
      this.wake();
      return answerQuestion(this.runner, which, value, options.by ?? "");
    });
  }

  /** Takes up what came for it from outside. Over what comes for a run that is being put aside it is queued again. */
  async deliver(notes: readonly Note[]): Promise<void> {
    if (notes.length === 0 || this.#outcome !== null || this.runner.resting) return;
    await this.#whileKept(async () => {
      for (const note of notes) await takeNote(this.runner, note);
    });
  }

  /** Meanwhile the run is not put aside (again). */
  async #whileKept(act: () => Promise<void>): Promise<void> {
    const { runner } = this;
    runner.busy++;
    try {
      await act();
    } finally {
      runner.busy--;
      runner.pump();
    }
  }

  send(name: string, item: unknown): Promise<void> {
    return sendInto(this.#current.runner, name, item);
  }

  end(name: string): void {
    openPort(this.#current.runner, name).end();
  }

  /** Reads from now on, not from the first time that it is asked: nothing is missed in between. */
  receive(name: string): AsyncIterable<unknown> {
    checkLiveOutput(this.#current.runner, name);
    const events = this.stream("custom") as AsyncIterable<StreamEvent>;
    return valuesOf(events, name);
  }

  get backend(): Backend | null {
    return this.#owner.backend;
  }

  stream(modes: StreamMode | readonly StreamMode[], options: StreamOptions = {}): Iteration<never> {
    return streamOfLive(this.#current, modes, options) satisfies Iteration<StreamEvent> as Iteration<never>;
  }

  items(key?: string, options: ItemsOptions = {}): Iteration<unknown> {
    const current = this.#current;
    return itemsOfLive(current, key, (outcome) => current.#failure(outcome), options);
  }

  /** `cause` is told to the bodies; the journal keeps the reason. */
  cancel(reason = "cancelled by the caller", cause?: unknown): Promise<RunResult<unknown>> {
    const current = this.#current;
    if (current !== this) return current.cancel(reason, cause);
    if (this.#outcome === null && this.runner.settling) return this.result().then(() => this.cancel(reason, cause));
    if (this.interrupted && this.#owner.backend !== null) return this.#owner.aside.cancel(this, reason);
    if (this.drained && !this.runner.resting) return Promise.reject(cancelledTooLate(this.runId));
    if (this.#isAside) this.#outcome = null;
    if (this.#outcome === null) this.runner.cancel(reason, cause);
    return this.result();
  }

  /** `queued`: any engine may go on with it at once. */
  drain(queued = false): Promise<RunResult<unknown>> {
    const current = this.#current;
    if (current !== this) return current.drain(queued);
    if (this.#outcome === null) this.runner.drain(queued);
    else if (this.#isStored) return this.#whereItIs().then((run) => (run === this ? this.#wait(false) : drained(run)));
    return this.result();
  }
}

/** One that has ended meanwhile has nothing to drain. */
function drained(run: LiveRun | RemoteRun): Promise<RunResult<unknown>> {
  return run.drain().catch((error: unknown) => {
    if (!isEnded(error)) throw error;
    return run.result();
  });
}

async function* valuesOf(events: AsyncIterable<StreamEvent>, node: string): AsyncGenerator<unknown, void> {
  for await (const event of events) if (event.mode === "custom" && event.node === node) yield event.value;
}
