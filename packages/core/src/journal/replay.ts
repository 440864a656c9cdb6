/**
 * Recovery is the same `step`, fed with the recorded events while effects are muted.
 *
 * Y1  One record at a time, to the end; nothing starts before.
 * Y2  A record must fit the state it meets: an output for an invocation that is not running means that the graph or
 *     the engine is not the one that wrote it.
 */
import { MillraceError } from "../base/error.ts";
import { RecordKind, type At, type Ended } from "../events/record.ts";
import type { SlotPlan } from "../model/plan.ts";
import { attemptFailedEvent, cancelEvent, drainEvent, eofEvent, frameEvent, outputEvent, resumedEvent, startedEvent, type AttemptError, type Event } from "../scheduler/event.ts";
import { step } from "../scheduler/step.ts";
import type { Context } from "../state/context.ts";
import type { Pending } from "../state/pending.ts";
import { Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import type { Revive } from "./blobs.ts";
import type { RawRecord } from "./rows.ts";

/** Slots of the recorded plan by those of this one; null when they are the same. */
export type SlotMap = ReadonlyMap<number, number> | null;

export function replayRecord(run: RunState, record: RawRecord, revive: Revive, slots: SlotMap): void {
  const kind = record[0] as RecordKind;
  if (kind === RecordKind.dropped) {
    expectDropped(run, record);
    run.seq++;
    return;
  }
  if (kind === RecordKind.ended) {
    run.seq++;
    run.stoppedCleanly = (record[1] as Ended).status === "drained";
    return;
  }
  if (run.end !== null) throw diverged(run, "a record follows the end of the run");
  step(run, toEvent(run, record, revive, slots));
}

function toEvent(run: RunState, record: RawRecord, revive: Revive, slots: SlotMap): Event {
  const [kind] = record;
  switch (kind) {
    case RecordKind.started:
      return startedEvent(revive((record[1] as { input: unknown }).input));
    case RecordKind.cancelRequested:
      return cancelEvent(String(record[1]));
    case RecordKind.drainRequested:
      return drainEvent();
    case RecordKind.resumed:
      return resumedEvent();
    default:
      return invocationEvent(record, findPending(run, record, slots), revive);
  }
}

function invocationEvent(record: RawRecord, pending: Pending, revive: Revive): Event {
  const [kind, , , value, retryAt, error] = record;
  if (kind === RecordKind.output) return outputEvent(pending, revive(value));
  if (kind === RecordKind.frame) return frameEvent(pending, revive(value));
  if (kind === RecordKind.eof) return eofEvent(pending);
  if (kind === RecordKind.attemptFailed) return attemptFailedEvent(pending, revive(error) as AttemptError, retryAt as number | null);
  throw new MillraceError("JournalCorrupt", `unknown record kind ${String(kind)}`, { hint: "the journal may be from a newer version" });
}

/** Y2 */
function findPending(run: RunState, record: RawRecord, slots: SlotMap): Pending {
  const id = slots === null ? (record[1] as number) : slots.get(record[1] as number);
  const slot = id === undefined ? undefined : run.program.plan.slots[id];
  if (slot === undefined) throw diverged(run, `the record is of node ${String(record[1])}, which the graph does not have`);
  const context = findContext(run, slot, record[2] as At);
  if (context?.states[slot.local] !== Resolution.running) throw diverged(run, `"${slot.name}" at ${JSON.stringify(record[2])} has a result, and does not run at this point`);
  return context.values[slot.local] as Pending;
}

function findContext(run: RunState, slot: SlotPlan, at: At): Context | undefined {
  if (at === 0) return run.root;
  let context: Context | undefined = run.root;
  const streams = streamsAround(run, slot);
  for (let depth = 0; depth < at.length && context !== undefined; depth++) {
    const { streams: open } = context as Context;
    context = open?.find((stream) => stream.plan.id === streams[depth])?.byIndex?.get(at[depth] as number);
  }
  return context;
}

/** Stream ids from the outermost inward. */
function streamsAround(run: RunState, slot: SlotPlan): number[] {
  const { scopes } = run.program.plan;
  const streams: number[] = [];
  for (let scope = scopes[slot.scope]; scope !== undefined && scope.stream >= 0; scope = scopes[scope.parent]) streams.push(scope.stream);
  return streams.reverse();
}

/** Dropped items are decided by `step` again; the record must say the same. */
function expectDropped(run: RunState, record: RawRecord): void {
  const expected = run.dropped?.shift();
  if (expected === undefined || expected.index !== record[3]) throw diverged(run, `item ${String(record[3])} was dropped, and this graph does not drop it`);
  if (run.dropped?.length === 0) run.dropped = null;
}

function diverged(run: RunState, detail: string): MillraceError {
  return new MillraceError("JournalMismatch", `run ${run.runId}, record ${run.seq + 1}: ${detail}`, {
    hint: "the graph is not the one that wrote this journal, although its fingerprint is; an edge function may not be pure",
  });
}
