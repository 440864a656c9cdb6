import type { ErrorData } from "../base/describe-error.ts";
import { RecordKind, type BrokenOff, type Settled } from "../events/record.ts";
import type { Pending } from "../state/pending.ts";
import { Flag } from "../state/tables.ts";

/** What failed, before the run knows where: the data of one last or not last attempt. */
export type AttemptError = ErrorData;

/**
 * What `step` is fed with, live and in replay alike. `value` is already known to be encodable when a journal is kept.
 * One shape for all kinds keeps the hot path monomorphic.
 */
export interface Event {
  readonly kind: RecordKind;
  readonly pending: Pending | null;
  readonly value: unknown;
  readonly error: AttemptError | null;
  /** attemptFailed: when the next attempt is due; null: it was the last. Timers and questions: when they are due. `resumed`, `unsafeStart`: see below. */
  readonly retryAt: number | null;
  readonly reason: string;
  /** Questions and answers that a fork takes over: when that was, milliseconds since 1970, UTC; null: now. */
  readonly at: number | null;
}

function event(kind: RecordKind, pending: Pending | null, value: unknown): Event {
  return { kind, pending, value, error: null, retryAt: null, reason: "", at: null };
}

export function outputEvent(pending: Pending, value: unknown): Event {
  return event(RecordKind.output, pending, value);
}

export function frameEvent(pending: Pending, value: unknown): Event {
  return event(RecordKind.frame, pending, value);
}

/** `value`: what the generator returned. */
export function eofEvent(pending: Pending, value: unknown): Event {
  return event(RecordKind.eof, pending, value);
}

export function attemptFailedEvent(pending: Pending, error: AttemptError, retryAt: number | null): Event {
  return { kind: RecordKind.attemptFailed, pending, value: undefined, error, retryAt, reason: "", at: null };
}

export function timerSetEvent(pending: Pending, due: number): Event {
  return { kind: RecordKind.timerSet, pending, value: undefined, error: null, retryAt: due, reason: "", at: null };
}

export function firedEvent(pending: Pending): Event {
  return event(RecordKind.fired, pending, undefined);
}

/** `due` null: it is waited for for ever. `payload`: of a question about a body in doubt. */
export function askedEvent(
  pending: Pending,
  due: number | null,
  { payload, at = null }: { readonly payload?: unknown; readonly at?: number | null } = {},
): Event {
  return { kind: RecordKind.asked, pending, value: payload, error: null, retryAt: due, reason: "", at };
}

/** `at`: when, in milliseconds since 1970. */
export function unsafeStartEvent(pending: Pending, at: number): Event {
  return { kind: RecordKind.unsafeStart, pending, value: undefined, error: null, retryAt: at, reason: "", at: null };
}

/** Who answers a question that nobody answered in time. */
export const BY_TIMEOUT = "timeout";

export function answeredEvent(pending: Pending, value: unknown, by: string, at: number | null = null): Event {
  return { kind: RecordKind.answered, pending, value, error: null, retryAt: null, reason: by, at };
}

export function deadlineEvent(pending: Pending, due: number): Event {
  return { kind: RecordKind.deadlineSet, pending, value: undefined, error: null, retryAt: due, reason: "", at: null };
}

export function finalizerOverEvent(slot: number): Event {
  return event(RecordKind.finalizerOver, null, slot);
}

export function settledEvent(pending: Pending, settled: Settled): Event {
  return event(RecordKind.settled, pending, settled);
}

export function brokenOffEvent(pending: Pending, broken: BrokenOff): Event {
  return event(RecordKind.brokenOff, pending, broken);
}

/** Of what happens among the items of an ephemeral generator nothing is recorded, nor that it yielded and ended (Z1). */
export function isUnrecorded({ kind, pending }: Event): boolean {
  if (pending === null) return false;
  if ((pending.flags & Flag.unrecorded) !== 0) return true;
  return (pending.flags & Flag.ephemeral) !== 0 && (kind === RecordKind.frame || kind === RecordKind.eof);
}

export interface CellSet {
  /** Index in the plan. */
  readonly cell: number;
  readonly value: unknown;
}

export function cellSetEvent(set: CellSet): Event {
  return event(RecordKind.cellSet, null, set);
}

export function startedEvent(input: unknown): Event {
  return event(RecordKind.started, null, input);
}

/** `crashed`: when it was found that the owner before had died, in milliseconds since 1970; 0: it had not. */
export function resumedEvent(crashed: number): Event {
  return {
    kind: RecordKind.resumed,
    pending: null,
    value: undefined,
    error: null,
    retryAt: crashed,
    reason: "",
    at: null,
  };
}

/** The engine ends the run: why. */
export function stoppedEvent({ code, message }: Pick<AttemptError, "code" | "message">): Event {
  const error = { code, type: code, message, data: undefined };
  return { kind: RecordKind.stopped, pending: null, value: undefined, error, retryAt: null, reason: "", at: null };
}

export function drainEvent(): Event {
  return event(RecordKind.drainRequested, null, undefined);
}

export function cancelEvent(reason: string): Event {
  return {
    kind: RecordKind.cancelRequested,
    pending: null,
    value: undefined,
    error: null,
    retryAt: null,
    reason,
    at: null,
  };
}
