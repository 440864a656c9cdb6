/**
 * Recovery is the same `step`, fed with the recorded events while effects are muted.
 *
 * Y1  One record at a time, to the end; nothing starts before.
 * Y2  A record must fit the state it meets: an output for an invocation that is not running means that the graph or
 *     the engine is not the one that wrote it.
 * Y3  What a block decided is taken from its record, never decided again; a record that no block comes to does not fit.
 */
import { errorOf, MillraceError } from "../base/error.ts";
import { RecordKind, type At, type BrokenOff, type Ended, type GraphNames, type Settled } from "../events/record.ts";
import type { ScopePlan, SlotPlan, StreamPlan } from "../model/plan.ts";
import { findBlock } from "../state/block.ts";
import {
  answeredEvent,
  askedEvent,
  attemptFailedEvent,
  brokenOffEvent,
  cancelEvent,
  cellSetEvent,
  deadlineEvent,
  drainEvent,
  eofEvent,
  finalizerOverEvent,
  firedEvent,
  frameEvent,
  outputEvent,
  resumedEvent,
  settledEvent,
  startedEvent,
  stoppedEvent,
  timerSetEvent,
  unsafeStartEvent,
  type AttemptError,
  type Event,
} from "../scheduler/event.ts";
import { step } from "../scheduler/step.ts";
import { findStream } from "../scheduler/streams.ts";
import { collectorsOf } from "../state/collector-words.ts";
import type { Context } from "../state/context.ts";
import { Kept } from "../state/kept.ts";
import type { Pending } from "../state/pending.ts";
import { Resolution } from "../state/resolution.ts";
import type { RecordedDecision, RunState } from "../state/run-state.ts";
import type { Revive } from "./blobs.ts";
import type { RecordedGraph } from "./recorded-graph.ts";
import { depthOf, fitsKind, isOfRemoved } from "./record-shape.ts";
import type { RawRecord } from "./rows.ts";

/** What blocks decided in the step of one record, as it stands behind it in the journal. */
export type Foretold = readonly RawRecord[];

/** The records of one row, each with those of the decisions that its step made: they stand behind it in the same row. */
export function withDecisions(
  records: readonly RawRecord[],
): { readonly record: RawRecord; readonly foretold: Foretold }[] {
  const grouped: { record: RawRecord; foretold: RawRecord[] }[] = [];
  for (const record of records) {
    const last = grouped.at(-1);
    if (isMadeByStep(record) && last !== undefined) last.foretold.push(record);
    else grouped.push({ record, foretold: [] });
  }
  return grouped;
}

function isMadeByStep([kind]: RawRecord): boolean {
  return kind === RecordKind.decision || kind === RecordKind.withdrawn;
}

/** They are no events. */
const stands: ReadonlySet<RecordKind> = new Set<RecordKind>([RecordKind.dropped, RecordKind.kept, RecordKind.snapshot]);

export function replayRecord(
  run: RunState,
  record: RawRecord,
  foretold: Foretold,
  revive: Revive,
  graph: RecordedGraph,
): void {
  const kind = record[0] as RecordKind;
  if (graph.isMapped && isOfRemoved(record, graph)) {
    passRemoved(run, record, foretold, graph);
    return;
  }
  if (stands.has(kind)) {
    if (kind === RecordKind.dropped) expectDropped(run, record, graph);
    else if (kind === RecordKind.kept) noteKept(run, record, revive, graph);
    run.seq++;
    return;
  }
  if (isMadeByStep(record)) throw diverged(run, graph, "a decision stands behind no event");
  if (kind === RecordKind.ended) {
    run.seq++;
    const { status } = record[1] as Ended;
    run.stoppedCleanly = status === "drained" || status === "interrupted";
    return;
  }
  if (run.end !== null) throw diverged(run, graph, "a record follows the end of the run");
  if (kind === RecordKind.resumed) noteOwner(run, record);
  replayStep(run, record, foretold, revive, graph);
  if (kind === RecordKind.resumed) becomeGraph(record[3] as GraphNames | 0 | undefined, graph);
}

function replayStep(run: RunState, record: RawRecord, foretold: Foretold, revive: Revive, graph: RecordedGraph): void {
  run.foretold = foretold
    .filter((made) => made[0] === RecordKind.decision && !graph.isRemoved(made[1] as number))
    .map((decision) => decisionOf(run, decision, graph));
  step(run, toEvent(run, record, revive, graph));
  if (run.kept !== null) forgetTaken(run, run.kept, record, graph);
  if (run.probe !== null) run.probe.stepped();
  if (foretold.length > 0 || run.decided !== null || run.withdrawn !== null) checkForetold(run, graph, foretold);
}

/**
 * What a node did that is gone on purpose is passed over. What a block that is still there decided because of it would have
 * no cause any more.
 */
function passRemoved(run: RunState, record: RawRecord, foretold: Foretold, graph: RecordedGraph): void {
  const left = foretold.find(([, slot]) => !graph.isRemoved(slot as number));
  if (left !== undefined)
    throw diverged(
      run,
      graph,
      `"${graph.nameOf(left[1] as number)}" decided something because of "${graph.nameOf(record[1] as number)}", which is removed`,
    );
  noteRemovedStart(run, record, graph);
  run.seq += 1 + foretold.length;
}

/** A body of an unsafe op that began must have come to its end. */
function noteRemovedStart(run: RunState, [kind, slot, at]: RawRecord, graph: RecordedGraph): void {
  const place = `${slot as number} ${String(at)}`;
  if (kind === RecordKind.unsafeStart) (run.removedStarts ??= new Map()).set(place, graph.nameOf(slot as number));
  else if (kind !== RecordKind.frame && kind !== RecordKind.asked && kind !== RecordKind.deadlineSet)
    run.removedStarts?.delete(place);
}

/** Y2 A node of the same name that is something else now is another node. */
function checkShape(run: RunState, record: RawRecord, slot: SlotPlan, graph: RecordedGraph): void {
  const node = graph.nameOf(record[1] as number);
  if (!fitsKind(record, slot)) throw diverged(run, graph, `"${node}" is a node of another kind in the graph now`);
  const at = record[2] as At;
  if ((at === 0 ? 0 : at.length) !== depthOf(run.program.plan, slot.scope))
    throw diverged(run, graph, `"${node}" at ${JSON.stringify(at)} is in other items or iterations in the graph now`);
}

/** What was dispatched up to here by a version that did not record when unsafe bodies begin may have begun. */
export function noteUnrecorded(run: RunState): void {
  run.unrecordedStarts = run.seq;
  run.startsMissing = false;
}

/** Whether the owner who writes from here on records when unsafe bodies begin. */
function noteOwner(run: RunState, record: RawRecord): void {
  if (record[4] === undefined) run.startsMissing = true;
  else if (run.startsMissing) noteUnrecorded(run);
}

function becomeGraph(names: GraphNames | 0 | undefined, graph: RecordedGraph): void {
  if (names !== undefined && names !== 0) graph.become(names);
}

function decisionOf(run: RunState, [, recorded, at, choice]: RawRecord, graph: RecordedGraph): RecordedDecision {
  const slot = graph.slot(recorded as number);
  if (slot === undefined)
    throw diverged(
      run,
      graph,
      `"${graph.nameOf(recorded as number)}" decided something, and the graph does not have it`,
    );
  const now = graph.choice(slot.id, choice as number);
  if (now === undefined)
    throw diverged(run, graph, `"${graph.nameOf(recorded as number)}" took an arm that the graph does not have`);
  return { slot: slot.id, at: String(at), choice: now };
}

/** Y3 */
function checkForetold(run: RunState, graph: RecordedGraph, foretold: Foretold): void {
  const [left] = run.foretold ?? [];
  if (left !== undefined)
    throw diverged(
      run,
      graph,
      `"${run.program.plan.slots[left.slot]?.name}" decided something, and does not come to it`,
    );
  const more = run.decided?.[foretold.filter(([made]) => made === RecordKind.decision).length];
  if (more !== undefined && !graph.changed)
    throw diverged(run, graph, `"${run.program.plan.slots[more.slot]?.name}" decides something that is not recorded`);
  run.seq += foretold.length;
  run.decided = null;
  run.withdrawn = null;
}

/** What it answers is an invocation of a node that the graph still has, or will be run. */
function noteKept(
  run: RunState,
  [, kind, recorded, at, ...rest]: RawRecord,
  revive: Revive,
  graph: RecordedGraph,
): void {
  const slot = graph.slot(recorded as number)?.id;
  if (slot === undefined) return;
  run.kept ??= new Kept();
  if (kind === RecordKind.decision) run.kept.addChoice(slot, at as At, rest[0] as number);
  else run.kept.add({ seq: run.seq, kind: kind as RecordKind, slot, at: at as At, rest, revive });
}

/** V2 */
function forgetTaken(run: RunState, kept: Kept, [kind, recorded, at]: RawRecord, graph: RecordedGraph): void {
  const slot = at === undefined ? undefined : graph.slot(recorded as number);
  if (slot !== undefined) kept.take(kind as RecordKind, slot.id, at as At);
  if (kept.empty) run.kept = null;
}

function cellSet(run: RunState, name: string, value: unknown, graph: RecordedGraph): Event {
  const cell = run.program.plan.cells.findIndex((plan) => plan.name === name);
  if (cell < 0) throw diverged(run, graph, `the record is of the cell "${name}", which the graph does not have`);
  return cellSetEvent({ cell, value });
}

function toEvent(run: RunState, record: RawRecord, revive: Revive, graph: RecordedGraph): Event {
  switch (record[0]) {
    case RecordKind.started:
      return startedEvent(graph.input(revive((record[1] as { input: unknown }).input)));
    case RecordKind.cancelRequested:
      return cancelEvent(String(record[1]));
    case RecordKind.stopped:
      return stoppedEvent({ code: String(record[1]), message: String(record[2]) });
    case RecordKind.finalizerOver:
      return finalizerOverEvent(record[1] as number);
    case RecordKind.drainRequested:
      return drainEvent();
    case RecordKind.cellSet:
      return cellSet(run, String(record[1]), revive(record[2]), graph);
    case RecordKind.resumed:
      return resumedEvent((record[4] as number | undefined) ?? 0);
    case RecordKind.settled:
      return recordedSettled(run, findPending(run, record, graph), revive(record[3]) as Settled, graph);
    case RecordKind.brokenOff:
      return brokenOffEvent(findPending(run, record, graph), revive(record[3]) as BrokenOff);
    default:
      return invocationEvent(run, record, findPending(run, record, graph), revive);
  }
}

function invocationEvent(run: RunState, record: RawRecord, pending: Pending, revive: Revive): Event {
  // By index: taking a record apart by a pattern iterates over it.
  const kind = record[0];
  if (kind === RecordKind.output) return recordedOutput(run, record, pending, revive);
  if (kind === RecordKind.frame) return frameEvent(pending, revive(record[3]));
  if (kind === RecordKind.eof) return eofEvent(pending, record[3] === undefined ? undefined : revive(record[3]));
  if (kind === RecordKind.timerSet) return timerSetEvent(pending, record[3] as number);
  if (kind === RecordKind.fired) return firedEvent(pending);
  if (kind === RecordKind.asked) return recordedQuestion(record, pending, revive);
  if (kind === RecordKind.answered) return answeredEvent(pending, revive(record[4]), String(record[3]));
  if (kind === RecordKind.deadlineSet) return deadlineEvent(pending, record[3] as number);
  if (kind === RecordKind.unsafeStart) return unsafeStartEvent(pending, record[4] as number);
  if (kind === RecordKind.attemptFailed)
    return attemptFailedEvent(pending, revive(record[5]) as AttemptError, record[4] as number | null);
  throw errorOf("JournalCorrupt.kind", { kind: String(kind) });
}

/** In another version of the graph there may be other collectors, and the items are nowhere. */
function recordedSettled(run: RunState, pending: Pending, settled: Settled, graph: RecordedGraph): Event {
  const { plan } = run.program;
  const wanted = collectorsOf(plan, plan.streams[pending.slot.stream] as StreamPlan);
  if (!graph.isMapped) return settledEvent(pending, settled);
  const collected = wanted.map((words) => {
    const found = settled.collected[settled.collectors.indexOf(words)];
    if (found !== undefined) return found;
    throw diverged(
      run,
      graph,
      `the items of "${pending.slot.name}" were not recorded, and "${words}" is made of them now`,
    );
  });
  return settledEvent(pending, { ...settled, collected, collectors: wanted });
}

/** What a question of the graph tells is made again; what is told of a body in doubt is in its record alone. */
function recordedQuestion(record: RawRecord, pending: Pending, revive: Revive): Event {
  return askedEvent(pending, record[3] as number | null, isDoubt(record) ? { payload: revive(record[4]) } : {});
}

function isDoubt(record: RawRecord): boolean {
  return record[8] !== undefined && record[8] !== 0;
}

function recordedOutput(run: RunState, record: RawRecord, pending: Pending, revive: Revive): Event {
  if (record[4] === 1) run.probe?.fromCache();
  return outputEvent(pending, revive(record[3]));
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
  if (graph.isMapped) checkShape(run, record, slot, graph);
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
  let context: Context | undefined = run.root;
  let depth = 0;
  const scopes = run.program.around[slot.scope] as readonly ScopePlan[];
  for (let i = 0; i < scopes.length && context !== undefined; i++) {
    const scope = scopes[i] as ScopePlan;
    const index: number = scope.kind === "arm" || at === 0 ? 0 : (at[depth++] as number);
    context =
      scope.stream >= 0 ? findStream(context, scope.stream)?.byIndex?.get(index) : childOf(context, scope, index);
  }
  return context;
}

function childOf(context: Context, scope: ScopePlan, index: number): Context | undefined {
  return findBlock(context, scope.block)?.children.find((child) => child.scope === scope && child.index === index);
}

/** Dropped items are decided by `step` again; the record must say the same. */
function expectDropped(run: RunState, record: RawRecord, graph: RecordedGraph): void {
  const expected = run.dropped?.shift();
  if (expected === undefined || expected.index !== record[3])
    throw diverged(run, graph, `item ${String(record[3])} was dropped, and this graph does not drop it`);
  if (run.dropped?.length === 0) run.dropped = null;
}

export function diverged(run: RunState, graph: RecordedGraph, detail: string): MillraceError {
  const hint = graph.changed
    ? "the changed graph does not fit what the run has done: say in migrate of the graph what the node is called now or that it was removed, or resume the run with the code it was started with"
    : "the graph is not the one that wrote this journal, although its fingerprint is; an edge function may not be pure";
  return new MillraceError("JournalMismatch", `run ${run.runId}, record ${run.seq + 1}: ${detail}`, { hint });
}
