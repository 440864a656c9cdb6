/**
 * The driver of one run: feeds events to `step`, records them, and lets the effects go.
 *
 * P1  An effect is released only when the record whose step caused it is durable; under `async` durability pure ops run
 *     ahead, as far as the recorder is not congested, and under `exit` everything does; so do, under `sync` too, decisions of the
 *     engine itself, which are over at once and touch nothing. (A generator's next item is no new effect: its body runs already,
 *     and a crash begins it anew from the recorded items.)
 * P2  After an append error, a lost lease or a bug in a step the state is abandoned, never repaired: nothing is fed,
 *     released or recorded any more.
 * P3  When the run has ended no timer and no permit of it is left, but for bodies that ignore their abort signal.
 */
import { isCurrent, type Pending, type PendingQueue } from "../state/pending.ts";
import type { RunState } from "../state/run-state.ts";
import { drainEvent, cancelEvent, startedEvent, type Event } from "../scheduler/event.ts";
import { step, stepOutput } from "../scheduler/step.ts";
import { admitWaiting } from "./admission.ts";
import { isWanted, type Body } from "./body.ts";
import type { Claims } from "./claims.ts";
import { followDurable, followUp, recordStep } from "./follow-up.ts";
import { Grace } from "./grace.ts";
import type { Host } from "./host.ts";
import type { RunObserver } from "./observe.ts";
import { Orphans } from "./orphans.ts";
import { FinalizerTimers } from "./finalizer-timers.ts";
import { Held } from "./held.ts";
import { Lease } from "./lease.ts";
import type { Outcome, RunnerOptions, RunOwner } from "./outcome.ts";
import { drainedOutcome, parkedOutcome, waitsOnly } from "./outcome.ts";
import { perform, proceed } from "./perform.ts";
import { abortReason, recordEnd, stopIfFull } from "./record-end.ts";
import { abortBodies, letGo } from "./let-go.ts";
import { goOn } from "./go-on.ts";
import { Talks } from "./talks.ts";
import type { Totals } from "./totals.ts";
import { Waits } from "./waits.ts";
import type { Recorder, RecorderListener } from "./recorder.ts";

export class Runner implements RecorderListener {
  readonly host: Host;
  readonly state: RunState;
  readonly options: RunnerOptions;
  observe: RunObserver | null;
  /** Why this engine drives it no more, though it has not ended. */
  lost: Error | null = null;
  /** What its bodies were aborted with. */
  abortedFor: Error | null = null;
  /** What a caller cancelled it with, which the journal does not keep. */
  #cancelledFor: unknown = undefined;
  #recorder: Recorder | null = null;
  /** Bodies that hold a permit. */
  active = 0;
  /** Promises of bodies and generators that the run waits for. */
  busy = 0;
  /** Invocations without a permit; see admission.ts. */
  waiting: PendingQueue | null = null;
  readonly talks: Talks = new Talks();
  asked = false;
  /** What it holds of limited resources; see claims.ts. */
  claims: Claims | null = null;
  lease: Lease | null = null;
  /** Its `timeout.total`s; see totals.ts. */
  totals: Totals | null = null;
  readonly #owner: RunOwner;
  #held: Held | null = null;
  orphans: Orphans | null = null;
  #waits: Waits | null = null;
  #finalizers: FinalizerTimers | null = null;
  /** The owner was told that the run waits for answers only. */
  #parked = false;
  #pumping = false;
  /** Something was swept or refused: invocations that wait for their turn may not be wanted any more. */
  #swept = false;
  #queued = false;
  /** Null until the run ended. */
  grace: Grace | null = null;
  #ended = false;
  #phase: "live" | "resting" | "over" = "live";
  #unanswered: Outcome | null = null;

  constructor(host: Host, state: RunState, options: RunnerOptions, observe: RunObserver | null, owner: RunOwner) {
    this.host = host;
    this.state = state;
    this.options = options;
    this.observe = observe;
    this.#owner = owner;
  }

  /** Null: the run has no journal. */
  get recorder(): Recorder | null {
    return this.#recorder;
  }

  set recorder(recorder: Recorder) {
    this.#recorder = recorder;
    this.#held = new Held(recorder, this.options.durability);
    this.lease = new Lease(recorder, this.#held);
  }

  /** Most runs never wait. */
  get waits(): Waits {
    return (this.#waits ??= new Waits(this.host.deadlines));
  }

  /** Something is recorded and not durable yet. */
  get #behind(): boolean {
    return this.recorder !== null && this.recorder.durable < this.state.seq;
  }

  /** Resolves once everything up to here is durable. */
  acknowledged(): Promise<void> {
    return this.lease === null ? Promise.resolve() : this.lease.durable(this.state.seq);
  }

  /** Drained, or rebuilt from its journal and not yet resumed. */
  get resting(): boolean {
    return this.#phase === "resting";
  }

  /** It came to rest, and the record of that is not durable yet: until then it can neither go on nor be taken over. */
  get settling(): boolean {
    return this.#phase === "resting" && this.#unanswered !== null;
  }

  /** A state that was rebuilt: nothing is released before `resume`. */
  rest(): void {
    this.#phase = "resting";
  }

  /** Ended, or lost. */
  get over(): boolean {
    return this.state.end !== null || this.#phase === "over";
  }

  get startsNew(): boolean {
    return this.state.end === null && !this.state.draining && this.#phase === "live";
  }

  /** Takes the input without letting anything go; `release` does that, once the run is durable. */
  begin(input: unknown): void {
    step(this.state, startedEvent(input));
    if (this.observe !== null) this.observe.flush();
  }

  release(): void {
    this.#stepped(null);
    if (this.recorder !== null) stopIfFull(this, this.recorder);
    this.pump();
  }

  /** Invocations that are not wanted any more, whatever they wait for or do. */
  letGo(swept: readonly Pending[]): void {
    this.state.aborted = null;
    this.#swept = true;
    letGo(this, swept);
  }

  /** One event: state, record, and the end of the run if this was it. */
  feed(event: Event, encoded = ""): void {
    if (this.#isLate()) return;
    if (this.#parked) {
      this.#parked = false;
      this.#owner.wokeUp();
    }
    try {
      step(this.state, event);
    } catch (bug) {
      return this.onLost(bug as Error);
    }
    recordStep(this, event, encoded);
    this.#stepped(event.pending);
    if (this.recorder !== null) stopIfFull(this, this.recorder);
  }

  /** The output of a body, in a run without a journal. */
  feedOutput(pending: Pending, output: unknown): void {
    if (this.#isLate()) return;
    let next: Pending | null;
    try {
      next = stepOutput(this.state, pending, output);
    } catch (bug) {
      return this.onLost(bug as Error);
    }
    if (next !== null) this.state.effects.push(next);
    if (this.observe !== null) this.observe.stepped();
    this.#stepped(pending);
  }

  #isLate(): boolean {
    const late = this.state.end !== null || this.#phase === "over";
    if (late) this.host.counts.late++;
    return late;
  }

  #stepped(pending: Pending | null): void {
    if (this.totals !== null) this.totals.after(pending);
    // The recorder took what was dropped, if there is one.
    this.state.dropped = null;
    if (this.state.aborted !== null) this.letGo(this.state.aborted);
    if (this.state.ending !== null) this.#finalizers ??= new FinalizerTimers(this);
    if (this.state.end !== null) this.#end();
    if (this.observe !== null) this.observe.flush();
    if (this.state.regions !== null || this.state.told !== null) followUp(this);
  }

  /** Releases effects until there are none, or the host needs a turn. */
  pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    const { effects } = this.state;
    while (!effects.empty && this.#phase === "live") {
      if (this.host.slices.exhausted(this)) break;
      const pending = effects.take() as Pending;
      if (this.#held === null || !this.#held.keeps(pending)) this.perform(pending);
    }
    this.#pumping = false;
    if (this.claims !== null) this.claims.releaseDropped();
    this.talks.flush(this.recorder);
    if (this.state.draining) this.#endDrain();
    else if (this.#waits !== null && this.#waits.size > 0) this.#parkIfWaiting(this.#waits);
  }

  perform(pending: Pending): void {
    if (this.startsNew && (!this.#swept || isCurrent(pending))) perform(this, pending);
  }

  /** The invocation has the resources it needs. */
  proceed(pending: Pending): void {
    proceed(this, pending);
  }

  /** A body returned a promise: it holds a permit from now on. */
  entered(): void {
    this.active++;
    this.busy++;
    if (this.host.permits !== null) this.host.permits.take();
  }

  /** That promise settled. False when the run no longer waits for this attempt: then it is counted as late. */
  wants(pending: Pending, attempt: number): boolean {
    if (this.#phase !== "over" && isWanted(this, pending, attempt)) {
      this.busy--;
      return true;
    }
    this.host.counts.late++;
    return false;
  }

  /** After the result was fed: the permit goes to the next, and what is due is released. */
  left(pending: Pending, attempt: number): void {
    if (this.orphans === null || !this.orphans.settled(pending, attempt)) this.returnPermit();
    if (this.claims !== null) this.claims.release(pending, attempt);
    this.pump();
  }

  returnPermit(): void {
    if (this.grace?.over === true) return;
    this.active--;
    this.grace?.endIfUnneeded();
    if (this.host.permits !== null) this.host.permits.release();
    if (this.waiting !== null) admitWaiting(this);
  }

  /** A body timed out: the run does not wait for it any more, but it keeps its permit for a while. */
  orphaned(body: Body): void {
    (this.orphans ??= new Orphans(this)).add(body);
  }

  onDurable(): void {
    if (this.#phase === "over" || this.recorder === null) return;
    if (this.observe !== null) this.observe.durable();
    for (let first = this.#held?.take(); first !== undefined && first !== null; first = this.#held?.take())
      this.perform(first);
    if (this.waiting !== null) admitWaiting(this);
    followDurable(this);
    this.pump();
    this.lease?.told();
    this.#answer();
  }

  /** P2 */
  onLost(error: Error): void {
    if (this.#phase === "over") return;
    this.#phase = "over";
    this.lost = error;
    this.#abortAll(error);
    this.lease?.lost(error);
    this.#owner.settle(error);
    if (this.observe !== null) this.observe.flush();
  }

  cancel(reason: string, cause?: unknown): void {
    this.#cancelledFor = cause;
    this.feed(cancelEvent(reason));
    // Of a run at rest its finalizers run, and nothing else.
    if (this.#phase === "resting" && this.recorder !== null && this.state.ending !== null) this.#phase = "live";
    this.pump();
  }

  /** `queued`: for whichever engine comes first, instead of until somebody says so. */
  drain(queued = false): void {
    this.#queued ||= queued;
    if (this.state.draining || this.state.end !== null || this.#phase !== "live") return;
    this.feed(drainEvent());
    this.#waits?.clear();
    this.waiting = null;
    if (this.claims !== null) this.claims.releaseIdle();
    this.host.cache.letGoOf(this, "unstarted");
    this.talks.leave();
    this.pump();
  }

  /** Continues a drained run, or one rebuilt from its journal. `released`: its last owner gave it away, and had not died. */
  resume(released = false): void {
    this.#phase = "live";
    if (this.state.end !== null) return this.release();
    const cut = this.recorder !== null && !this.state.stoppedCleanly;
    this.#swept ||= cut;
    goOn(this, { cut, crashed: cut && !released });
    this.pump();
  }

  #end(): void {
    if (this.state.end === null || this.#ended) return;
    this.#ended = true;
    this.#finalizers?.clear();
    if (this.recorder !== null) recordEnd(this.recorder, this.state, this.state.end);
    const { end } = this.state;
    if (end.status !== "completed") this.#abortAll(abortReason(this.state, end, this.#cancelledFor));
    this.#answer(end);
  }

  /** P3 */
  #abortAll(reason: Error): void {
    this.abortedFor = reason;
    this.#waits?.clear();
    this.waiting = null;
    this.host.cache.letGoOf(this, "all");
    this.#held?.clear();
    if (this.claims !== null) this.claims.releaseIdle();
    this.grace ??= new Grace(this);
    this.totals?.stop();
    this.#finalizers?.clear();
    abortBodies(this, reason);
  }

  /** All that is left are questions, far timers and generators without credit. */
  #parkIfWaiting(waits: Waits): void {
    const { state } = this;
    if (this.#parked || this.#phase !== "live" || this.busy > 0 || this.#held?.empty === false) return;
    // What it waits for is durable first; then it comes here again. Under `exit` it is written with its rest.
    if ((this.options.durability !== "exit" && this.#behind) || !waitsOnly(this, waits)) return;
    this.#parked = true;
    const outcome = parkedOutcome(state, waits);
    if (this.recorder !== null) {
      this.#phase = "resting";
      this.recorder.recordParked(state, outcome.wake);
      waits.clear();
      this.totals?.stop();
    }
    this.#answer(outcome);
  }

  #endDrain(): void {
    if (this.#phase !== "live" || this.busy > 0 || this.state.end !== null) return;
    this.#held?.clear();
    this.state.effects.clear();
    this.totals?.stop();
    this.#phase = "resting";
    if (this.recorder !== null) {
      this.#abortAll(new Error("the run was drained"));
      this.recorder.recordDrained(this.state, this.#queued);
    }
    this.#answer(drainedOutcome(this.state));
  }

  /** P1 for the status: the outcome is told once its record is durable. */
  #answer(outcome: Outcome | null = this.#unanswered): void {
    this.#unanswered = outcome;
    if (outcome === null || this.#phase === "over") return;
    if (this.#behind) return;
    this.#unanswered = null;
    const goesOn = outcome.status === "drained" || outcome.status === "interrupted";
    if (!goesOn || this.recorder !== null) this.#phase = "over";
    this.#owner.settle(outcome);
  }
}
