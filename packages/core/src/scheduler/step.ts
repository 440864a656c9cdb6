/**
 * The kernel: one event in, the run's next state out. Synchronous and deterministic: the same plan and the same events
 * give the same state, the same effects and the same failures, live and in replay.
 *
 * E1  An event for an invocation that is not current is never fed to `step`; the runtime drops it and counts it.
 * E2  After `step` returns nothing is queued: every consequence of the event is in the state or in `effects`.
 * E3  `end` is set once, by the step in which the root closed, the run was cancelled, or a failure was raised.
 * E4  A run that ends with its root open, because nothing in it can go on, says what waited: open work that is not there is
 *     a leak, and would end it silently.
 */
import type { Verdict } from "../events/interrupt.ts";
import { RecordKind } from "../events/record.ts";
import type { Call } from "../model/conversation.ts";
import { SlotKind, type SlotPlan } from "../model/plan.ts";
import { countCrashes } from "../state/crashes.ts";
import { Todo, type Pending } from "../state/pending.ts";
import { Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { Flag } from "../state/tables.ts";
import { work } from "../state/work.ts";
import { expire } from "./blocks/bounded.ts";
import { setCell } from "./cells.ts";
import { openContext } from "./contexts.ts";
import { leave } from "./dispatch.ts";
import { drain } from "./drain.ts";
import { endRun, endWhenDone, noteStopped } from "./end.ts";
import { discard, onBrokenOff, onRegionEnd, onSettled, resetOpen } from "./ephemeral.ts";
import { BY_TIMEOUT, isUnrecorded, type AttemptError, type CellSet, type Event } from "./event.ts";
import { recordFailure } from "./failures.ts";
import { stopFinalizer } from "./finalizers.ts";
import { failureSaid, forgetStart, noteAsked, noteStart } from "./in-doubt.ts";
import { afterFrame } from "./policies/credit.ts";
import { emit, resolve } from "./queue.ts";
import { sequelOf } from "./sequel.ts";
import { spread } from "./spread.ts";
import { findStream, openItem, openStream, streamEnded, streamOf } from "./streams.ts";
import { sweepGivenUp, sweepUndelivered } from "./undelivered.ts";

type Handler = (run: RunState, event: Event) => void;

export function step(run: RunState, event: Event): void {
  if (!isUnrecorded(event)) run.seq++;
  (handlers[event.kind] as Handler)(run, event);
  finish(run);
}

/**
 * The same for the most frequent event, where nobody keeps it: none is made. If one invocation comes of it and nothing
 * else, it is returned instead of put into `effects`.
 */
export function stepOutput(run: RunState, pending: Pending, value: unknown): Pending | null {
  run.seq++;
  const next = sequelOf(run, pending, value);
  if (next !== null && next !== undefined) {
    if (run.check !== null) run.check(run);
    return next;
  }
  if (next === undefined) answerOutput(run, pending, value);
  finish(run);
  return null;
}

function answerOutput(run: RunState, pending: Pending, value: unknown): void {
  run.inFlight--;
  answer(run, pending, Resolution.value, value);
}

function finish(run: RunState): void {
  if (work.busy) drain(run);
  endWhenDone(run);
  // It may have opened the finalizers.
  if (work.busy) {
    drain(run);
    endWhenDone(run);
  }
  if (run.check !== null) run.check(run);
}

function onStarted(run: RunState, event: Event): void {
  const { root } = run;
  for (const id of run.program.plan.finalizers) root.states[run.tables.locals[id] as number] = Resolution.open;
  resolve(root, run.program.plan.slots[0] as SlotPlan, Resolution.value, event.value);
  openContext(run, root);
}

/**
 * The queue is empty when an event comes (E2), so that the invocation's own resolution is the first thing to spread: it
 * does so at once, without a turn through the queue.
 */
function answer(run: RunState, pending: Pending, state: number, value: unknown): void {
  const { context, id, local } = pending;
  context.states[local] = state;
  context.values[local] = value;
  spread(run, context, id);
  leave(run, context, pending.slot, pending.flags);
}

function onOutput(run: RunState, event: Event): void {
  const pending = event.pending as Pending;
  const next = sequelOf(run, pending, event.value);
  if (next === undefined) answerOutput(run, pending, event.value);
  else if (next !== null) emit(run, next, Todo.start);
}

function onFrame(run: RunState, event: Event): void {
  const pending = event.pending as Pending;
  pending.yielded++;
  pending.todo = Todo.none;
  if (run.probe !== null) run.probe.yielded(pending, event.value);
  if (pending.context.abandoned) {
    emit(run, pending, Todo.pull);
    return;
  }
  const stream = streamOf(run, pending);
  if ((pending.flags & Flag.told) !== 0) sweepGivenUp(run, stream, event.value as Call);
  openItem(run, stream, event.value);
  afterFrame(run, stream);
}

function onEof(run: RunState, event: Event): void {
  const pending = event.pending as Pending;
  const { context, slot } = pending;
  if ((pending.flags & Flag.ephemeral) !== 0) return onRegionEnd(run, pending, event.value);
  run.inFlight--;
  if ((pending.flags & Flag.told) !== 0) sweepUndelivered(run, pending);
  if (!context.abandoned)
    streamEnded(run, findStream(context, slot.stream) ?? openStream(run, context, slot, null), null);
  answer(run, pending, Resolution.value, event.value);
}

function onAttemptFailed(run: RunState, event: Event): void {
  const pending = event.pending as Pending;
  const { context, slot } = pending;
  const error = event.error as AttemptError;
  if (run.probe !== null) run.probe.attemptFailed(pending, error, event.retryAt);
  if ((pending.flags & Flag.ephemeral) !== 0) discard(run, pending);
  else if (run.probe !== null && (pending.flags & Flag.tells) !== 0) run.probe.reset(pending);
  if (event.retryAt !== null) {
    pending.attempt++;
    pending.due = event.retryAt;
    emit(run, pending, Todo.retry);
    return;
  }
  stopCounting(run, pending);
  if ((pending.flags & Flag.told) !== 0) sweepUndelivered(run, pending);
  const failure = recordFailure(run, context, slot, error, pending.attempt, pending.input);
  answer(run, pending, Resolution.failed, failure);
  if (slot.kind === SlotKind.bounded) expire(run, pending);
}

/** A sleep or a question knows until when it waits. */
function onWait(run: RunState, event: Event): void {
  const pending = event.pending as Pending;
  pending.due = event.retryAt ?? 0;
  emit(run, pending, Todo.wait);
}

function onFired(run: RunState, event: Event): void {
  run.inFlight--;
  answer(run, event.pending as Pending, Resolution.value, undefined);
}

function onAsked(run: RunState, event: Event): void {
  const pending = event.pending as Pending;
  if (pending.slot.kind === SlotKind.op) noteAsked(run, pending, event.value);
  else onWait(run, event);
  if (run.probe !== null) run.probe.asked(pending);
}

function onAnswered(run: RunState, event: Event): void {
  const pending = event.pending as Pending;
  const as = event.reason === BY_TIMEOUT ? "defaulted" : "answered";
  if (run.probe !== null) run.probe.answered(pending, as, event.value);
  if (pending.slot.kind === SlotKind.op) settleDoubt(run, pending, event.value as Verdict);
  else {
    run.inFlight--;
    answer(run, pending, Resolution.value, event.value);
  }
}

/** What the outside says of a body stands for what it did not live to say itself. */
function settleDoubt(run: RunState, pending: Pending, said: Verdict): void {
  if ("rerun" in said) {
    forgetStart(run, pending);
    emit(run, pending, Todo.start);
    return;
  }
  run.inFlight--;
  if ("output" in said) answer(run, pending, Resolution.value, said.output);
  else answer(run, pending, Resolution.failed, failureSaid(run, pending, said.fail));
}

function onUnsafeStart(run: RunState, event: Event): void {
  noteStart(run, event.pending as Pending, event.retryAt as number);
}

function onDeadline(run: RunState, event: Event): void {
  (run.totals ??= new WeakMap()).set(event.pending as Pending, event.retryAt as number);
}

/** D3: a generator that waits for credit is not in flight, and may fail all the same, by its time-out. */
function stopCounting(run: RunState, pending: Pending): void {
  const stream = pending.slot.stream < 0 ? undefined : findStream(pending.context, pending.slot.stream);
  if (stream?.waiting === true) stream.waiting = false;
  else run.inFlight--;
}

function onResumed(run: RunState, event: Event): void {
  if (event.retryAt !== 0) countCrashes(run, event.retryAt as number);
  run.draining = false;
  run.stoppedCleanly = false;
  if (run.probe !== null) resetOpen(run);
}

/** What a run ends as is decided once: not again while its finalizers are at work. */
function onCancel(run: RunState, event: Event): void {
  if (run.ending !== null) return;
  run.cancelReason = event.reason;
  endRun(run, "cancelled", undefined);
}

function onStopped(run: RunState, event: Event): void {
  if (run.ending !== null) return;
  noteStopped(run, event.error as AttemptError);
  endRun(run, "failed", undefined);
}

function onFinalizerOver(run: RunState, event: Event): void {
  stopFinalizer(run, event.value as number);
}

function onCellSet(run: RunState, event: Event): void {
  const { cell, value } = event.value as CellSet;
  setCell(run, cell, value);
}

function onDrain(run: RunState): void {
  run.draining = true;
}

const nothing: Handler = () => undefined;

/**
 * Total over the record kinds; `dropped`, `decision`, `withdrawn` and `ended` are written by the step that caused them, `kept` by the making of a
 * fork, `snapshot` by the writer, and all are only counted here.
 */
const handlers: readonly Handler[] = Object.entries({
  [RecordKind.started]: onStarted,
  [RecordKind.output]: onOutput,
  [RecordKind.frame]: onFrame,
  [RecordKind.eof]: onEof,
  [RecordKind.attemptFailed]: onAttemptFailed,
  [RecordKind.dropped]: nothing,
  [RecordKind.resumed]: onResumed,
  [RecordKind.cancelRequested]: onCancel,
  [RecordKind.drainRequested]: onDrain,
  [RecordKind.ended]: nothing,
  [RecordKind.decision]: nothing,
  [RecordKind.timerSet]: onWait,
  [RecordKind.fired]: onFired,
  [RecordKind.asked]: onAsked,
  [RecordKind.answered]: onAnswered,
  [RecordKind.withdrawn]: nothing,
  [RecordKind.finalizerOver]: onFinalizerOver,
  [RecordKind.deadlineSet]: onDeadline,
  [RecordKind.kept]: nothing,
  [RecordKind.cellSet]: onCellSet,
  [RecordKind.unsafeStart]: onUnsafeStart,
  [RecordKind.snapshot]: nothing,
  [RecordKind.stopped]: onStopped,
  [RecordKind.compacted]: nothing,
  [RecordKind.settled]: onSettled,
  [RecordKind.brokenOff]: onBrokenOff,
} satisfies Record<RecordKind, Handler>)
  .toSorted(([a], [b]) => Number(a) - Number(b))
  .map(([, handler]) => handler);
