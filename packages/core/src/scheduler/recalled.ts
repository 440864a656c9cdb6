/** From what a fork kept to the event that it is. */
import { errorOf } from "../base/error.ts";
import { RecordKind, type BrokenOff, type Settled } from "../events/record.ts";
import type { KeptAnswer } from "../state/kept.ts";
import { Todo, type Pending } from "../state/pending.ts";
import {
  answeredEvent,
  askedEvent,
  attemptFailedEvent,
  brokenOffEvent,
  deadlineEvent,
  eofEvent,
  firedEvent,
  frameEvent,
  outputEvent,
  settledEvent,
  timerSetEvent,
  type AttemptError,
  type Event,
} from "./event.ts";

/** May it be answered by that now? A generator without credit gives no items, but may fail. */
export function takesNow(pending: Pending, { kind }: KeptAnswer): boolean {
  return pending.todo !== Todo.none || kind === RecordKind.attemptFailed;
}

export function recalledEvent(pending: Pending, { kind, rest, revive }: KeptAnswer): Event {
  const [first, second, third] = rest;
  if (kind === RecordKind.output) return outputEvent(pending, revive(first));
  if (kind === RecordKind.frame) return frameEvent(pending, revive(first));
  if (kind === RecordKind.eof) return eofEvent(pending, first === undefined ? undefined : revive(first));
  if (kind === RecordKind.timerSet) return timerSetEvent(pending, first as number);
  if (kind === RecordKind.fired) return firedEvent(pending);
  if (kind === RecordKind.asked) return askedEvent(pending, first as number | null, { at: timeOf(rest[3]) });
  if (kind === RecordKind.answered) return answeredEvent(pending, revive(second), String(first), timeOf(third));
  if (kind === RecordKind.deadlineSet) return deadlineEvent(pending, first as number);
  if (kind === RecordKind.attemptFailed)
    return attemptFailedEvent(pending, revive(third) as AttemptError, second as number | null);
  return recalledRegion(pending, kind, revive(first));
}

function recalledRegion(pending: Pending, kind: RecordKind, value: unknown): Event {
  if (kind === RecordKind.settled) return settledEvent(pending, value as Settled);
  if (kind === RecordKind.brokenOff) return brokenOffEvent(pending, value as BrokenOff);
  throw errorOf("JournalCorrupt.kind", { kind: String(kind) });
}

/** Journals of earlier versions do not say when. */
function timeOf(recorded: unknown): number | null {
  return recorded === undefined ? null : (recorded as number);
}

/** Where the value stands that goes into the record again as it is. */
const valueAt: Readonly<Partial<Record<RecordKind, number>>> = {
  [RecordKind.output]: 0,
  [RecordKind.frame]: 0,
  [RecordKind.eof]: 0,
  [RecordKind.settled]: 0,
  [RecordKind.brokenOff]: 0,
  [RecordKind.asked]: 1,
  [RecordKind.answered]: 1,
  [RecordKind.attemptFailed]: 2,
};

export function encodedOf({ kind, rest }: KeptAnswer): string {
  const at = valueAt[kind];
  return at === undefined || rest[at] === undefined ? "" : JSON.stringify(rest[at]);
}
