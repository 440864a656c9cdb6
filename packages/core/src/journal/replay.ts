/**
 * Recovery is the same `step`, fed with the recorded events while effects are muted.
 *
 * Y1  One record at a time, to the end; nothing starts before.
 * Y2  A record must fit the state it meets: an output for an invocation that is not running means that the graph or
 *     the engine is not the one that wrote it.
 */
import { MillraceError } from "../base/error.ts";
import { RecordKind, type At, type Ended, type GraphNames } from "../events/record.ts";
import type { SlotPlan } from "../model/plan.ts";
import {
  attemptFailedEvent,
  cancelEvent,
  drainEvent,
  eofEvent,
  frameEvent,
  outputEvent,
  resumedEvent,
  startedEvent,
  type AttemptError,
  type Event,
} from "../scheduler/event.ts";
import { step } from "../scheduler/step.ts";
import { findStream } from "../scheduler/streams.ts";
import type { Context } from "../state/context.ts";
import type { Pending } from "../state/pending.ts";
import { Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import type { Revive } from "./blobs.ts";
import type { RecordedGraph } from "./recorded-graph.ts";
import type { RawRecord } from "./rows.ts";

export function replayRecord(run: RunState, record: RawRecord, revive: Revive, graph: RecordedGraph): void {
  const kind = record[0] as RecordKind;
  if (kind === RecordKind.dropped) {
    expectDropped(run, record, graph);
    run.seq++;
    return;
  }
  if (kind === RecordKind.ended) {
    run.seq++;
    run.stoppedCleanly = (record[1] as Ended).status === "drained";
    return;
  }
  if (run.end !== null) throw diverged(run, graph, "a record follows the end of the run");
  step(run, toEvent(run, record, revive, graph));
  if (kind === RecordKind.resumed && record[3] !== undefined) graph.become(record[3] as GraphNames);
}

function toEvent(run: RunState, record: RawRecord, revive: Revive, graph: RecordedGraph): Event {
  switch (record[0]) {
    case RecordKind.started:
      return startedEvent(revive((record[1] as { input: unknown }).input));
    case RecordKind.cancelRequested:
      return cancelEvent(String(record[1]));
    case RecordKind.drainRequested:
      return drainEvent();
    case RecordKind.resumed:
      return resumedEvent();
    default:
      return invocationEvent(record, findPending(run, record, graph), revive);
  }
}

function invocationEvent(record: RawRecord, pending: Pending, revive: Revive): Event {
  // By index: taking a record apart by a pattern iterates over it.
  const kind = record[0];
  if (kind === RecordKind.output) return outputEvent(pending, revive(record[3]));
  if (kind === RecordKind.frame) return frameEvent(pending, revive(record[3]));
  if (kind === RecordKind.eof) return eofEvent(pending);
  if (kind === RecordKind.attemptFailed)
    return attemptFailedEvent(pending, revive(record[5]) as AttemptError, record[4] as number | null);
  throw new MillraceError("JournalCorrupt", `unknown record kind ${String(kind)}`, {
    hint: "the journal may be from a newer version",
  });
}

/** Y2 */
function findPending(run: RunState, record: RawRecord, graph: RecordedGraph): Pending {
  const recorded = record[1] as number;
  const at = record[2] as At;
  const slot = graph.slot(recorded);
  if (slot === undefined) {
    const name = graph.nameOf(recorded);
    throw diverged(run, graph, `the record is of node "${name}", which the graph does not have`);
  }
  const context = findContext(run, slot, at);
  if (context?.states[slot.local] !== Resolution.running)
    throw diverged(
      run,
      graph,
      `"${graph.nameOf(recorded)}" at ${JSON.stringify(at)} has a result, and does not run at this point`,
    );
  return context.values[slot.local] as Pending;
}

function findContext(run: RunState, slot: SlotPlan, at: At): Context | undefined {
  if (at === 0) return run.root;
  let context: Context | undefined = run.root;
  const streams = run.program.around[slot.scope] as readonly number[];
  for (let depth = 0; depth < at.length && context !== undefined; depth++) {
    context = findStream(context, streams[depth] as number)?.byIndex?.get(at[depth] as number);
  }
  return context;
}

/** Dropped items are decided by `step` again; the record must say the same. */
function expectDropped(run: RunState, record: RawRecord, graph: RecordedGraph): void {
  const expected = run.dropped?.shift();
  if (expected === undefined || expected.index !== record[3])
    throw diverged(run, graph, `item ${String(record[3])} was dropped, and this graph does not drop it`);
  if (run.dropped?.length === 0) run.dropped = null;
}

function diverged(run: RunState, graph: RecordedGraph, detail: string): MillraceError {
  const hint = graph.changed
    ? "the changed graph does not fit what the run has done; resume it with the code it was started with"
    : "the graph is not the one that wrote this journal, although its fingerprint is; an edge function may not be pure";
  return new MillraceError("JournalMismatch", `run ${run.runId}, record ${run.seq + 1}: ${detail}`, { hint });
}
