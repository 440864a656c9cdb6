import { RecordKind } from "../events/record.ts";
import type { Pending } from "../state/pending.ts";

/** What failed, before the run knows where: the data of one last or not last attempt. */
export interface AttemptError {
  readonly code: string;
  readonly type: string;
  readonly message: string;
  readonly data: unknown;
}

/**
 * What `step` is fed with, live and in replay alike. `value` is already known to be encodable when a journal is kept.
 *
 * There is one event at a time and it is not kept, so that all share one object: made by the functions below, read by
 * `step` and the recorder, gone with the next one.
 */
export interface Event {
  readonly kind: RecordKind;
  readonly pending: Pending | null;
  readonly value: unknown;
  readonly error: AttemptError | null;
  /** attemptFailed: when the next attempt is due; null: it was the last. */
  readonly retryAt: number | null;
  readonly reason: string;
}

const shared: { -readonly [K in keyof Event]: Event[K] } = {
  kind: RecordKind.started,
  pending: null,
  value: undefined,
  error: null,
  retryAt: null,
  reason: "",
};

function event(kind: RecordKind, pending: Pending | null, value: unknown): Event {
  shared.kind = kind;
  shared.pending = pending;
  shared.value = value;
  return shared;
}

export function outputEvent(pending: Pending, value: unknown): Event {
  return event(RecordKind.output, pending, value);
}

export function frameEvent(pending: Pending, value: unknown): Event {
  return event(RecordKind.frame, pending, value);
}

export function eofEvent(pending: Pending): Event {
  return event(RecordKind.eof, pending, undefined);
}

export function attemptFailedEvent(pending: Pending, error: AttemptError, retryAt: number | null): Event {
  shared.error = error;
  shared.retryAt = retryAt;
  return event(RecordKind.attemptFailed, pending, undefined);
}

export function startedEvent(input: unknown): Event {
  return event(RecordKind.started, null, input);
}

export function resumedEvent(): Event {
  return event(RecordKind.resumed, null, undefined);
}

export function drainEvent(): Event {
  return event(RecordKind.drainRequested, null, undefined);
}

export function cancelEvent(reason: string): Event {
  shared.reason = reason;
  return event(RecordKind.cancelRequested, null, undefined);
}
