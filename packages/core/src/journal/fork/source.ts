/** The records of the run that a fork comes from, up to the point where it leaves. */
import { errorOf } from "../../base/error.ts";
import type { Verdict } from "../../events/interrupt.ts";
import { RecordKind, type Started } from "../../events/record.ts";
import { SlotKind, type Plan, type SlotPlan } from "../../model/plan.ts";
import type { Backend, RunRow } from "../../ports/backend.ts";
import { reviverFor, type Revive } from "../blobs.ts";
import { encode } from "../codec/codec.ts";
import type { Lineage } from "../lineage.ts";
import { depthOf, fitsKind } from "../record-shape.ts";
import { graphIn, lineageOf, RecordedGraph } from "../recorded-graph.ts";
import { startedOf } from "../replay-rows.ts";
import { historyCompacted, isCompacted } from "../compact/compacted.ts";
import { notOvertaken } from "../compact/overtaken.ts";
import { journalCorrupt, RowReader, type RawRecord } from "../rows.ts";

/** A record of one node, with the plan's own slot in place of the recorded one. */
export interface SourceRecord {
  readonly seq: number;
  readonly record: RawRecord;
  readonly revive: Revive;
}

export interface Source {
  readonly row: RunRow;
  readonly started: Started;
  readonly revive: Revive;
  readonly records: readonly SourceRecord[];
  /** The last record that is read: the end of the batch that the asked one is in. */
  readonly seq: number;
}

const behind: ReadonlySet<unknown> = new Set<RecordKind>([
  RecordKind.decision,
  RecordKind.withdrawn,
  RecordKind.dropped,
  RecordKind.kept,
]);

/** Made by the step of the record before it: both are of one batch. */
export function isBehind([kind]: RawRecord): boolean {
  return behind.has(kind);
}

/** @throws MillraceError `SeqOutOfRange` */
export function checkSeq(row: RunRow, seq: number): void {
  if (Number.isSafeInteger(seq) && seq >= 1 && seq <= row.lastSeq) return;
  throw errorOf("SeqOutOfRange", { runId: row.id, seq: String(seq), last: row.lastSeq });
}

/** @throws MillraceError `SeqOutOfRange`, `JournalCorrupt`, `JournalTooNew`, `HistoryCompacted` */
export async function readSource(backend: Backend, row: RunRow, plan: Plan, until: number): Promise<Source> {
  checkSeq(row, until);
  return notOvertaken(backend, row.id, () => read(backend, row, plan, until));
}

async function read(backend: Backend, row: RunRow, plan: Plan, until: number): Promise<Source> {
  const reader = new RowReader(row.id);
  const graph = new RecordedGraph(plan);
  const lineage = await lineageOf(backend, row.id, plan, row.lastSeq);
  graph.learn(lineage);
  const records: SourceRecord[] = [];
  let head: Pick<Source, "started" | "revive"> | null = null;
  let seq = 0;
  for await (const journalRow of backend.read(row.id)) {
    const raw = reader.unpack(journalRow);
    if (isCompacted(raw[0])) throw historyCompacted(row.id, raw[0][1].floor, "a fork, which is made of all records");
    const revive = await reviverFor(backend, row.id, reader, raw);
    for (const record of raw) {
      if (seq >= until && !isBehind(record)) return sourceOf(row, head, records, seq);
      seq++;
      const names = graphIn(record);
      if (head === null) head = { started: withInput(startedOf(row, record), revive, lineage), revive };
      if (names !== undefined) graph.become(names);
      else take(records, { seq, record, revive }, graph, plan);
    }
    if (seq >= row.lastSeq) break;
  }
  return sourceOf(row, head, records, seq);
}

function sourceOf(
  row: RunRow,
  head: Pick<Source, "started" | "revive"> | null,
  records: readonly SourceRecord[],
  seq: number,
): Source {
  if (head === null) throw journalCorrupt(row.id, "it has no records");
  return { ...head, row, records, seq };
}

/** Where the slot stands in a record, by kind; other records are of no node. */
function slotAt(kind: unknown): number {
  if (kind === RecordKind.kept) return 2;
  return ofNodes.has(kind) ? 1 : -1;
}

const ofNodes: ReadonlySet<unknown> = new Set<RecordKind>([
  RecordKind.output,
  RecordKind.frame,
  RecordKind.eof,
  RecordKind.settled,
  RecordKind.brokenOff,
  RecordKind.attemptFailed,
  RecordKind.decision,
  RecordKind.timerSet,
  RecordKind.fired,
  RecordKind.asked,
  RecordKind.answered,
  RecordKind.withdrawn,
  RecordKind.deadlineSet,
]);

/** What nodes that the graph does not have any more did is left behind. */
function take(records: SourceRecord[], { seq, record, revive }: SourceRecord, graph: RecordedGraph, plan: Plan): void {
  const place = slotAt(record[0]);
  if (place < 0 && record[0] !== RecordKind.cellSet) return;
  if (place < 0) {
    records.push({ seq, record, revive });
    return;
  }
  const slot = graph.slot(record[place] as number);
  if (slot === undefined || !isSame(record, slot, plan)) return;
  const taken = slot.op === null ? asCounted(record, slot, graph) : ofBody(record, revive);
  if (taken !== null) records.push({ seq, record: taken.with(place, slot.id), revive });
}

/**
 * What became of an unsafe body that was in doubt is an output like any other; that it was asked about, or begun again, is
 * nothing to a fork, in which it did not begin.
 */
function ofBody(record: RawRecord, revive: Revive): RawRecord | null {
  const [kind, slot, at] = record;
  if (kind === RecordKind.asked || kind === RecordKind.withdrawn) return null;
  if (kind !== RecordKind.answered) return record;
  const verdict = revive(record[4]) as Verdict;
  return "output" in verdict ? [RecordKind.output, slot, at, JSON.parse(encode(verdict.output)) as unknown] : null;
}

/** As the plan names the keys of the input. */
function withInput(started: Started, revive: Revive, lineage: Lineage): Started {
  const recorded = revive(started.input);
  const input = lineage.input(recorded);
  return input === recorded ? started : { ...started, input: JSON.parse(encode(input)) as unknown };
}

/** A node that is another kind of node now, or stands elsewhere, is another node. */
function isSame(record: RawRecord, slot: SlotPlan, plan: Plan): boolean {
  const [kind, , at] = record;
  if (kind === RecordKind.kept) return true;
  // A loop decides in its iterations.
  const inside = kind === RecordKind.decision && slot.kind === SlotKind.loop ? 1 : 0;
  return (
    fitsKind(record, slot) && (at === 0 ? 0 : (at as readonly number[]).length) === depthOf(plan, slot.scope) + inside
  );
}

/** A choice is kept as the plan counts the arms; null: of one that is not there any more. */
function asCounted(record: RawRecord, slot: SlotPlan, graph: RecordedGraph): RawRecord | null {
  const [kind, of] = record;
  const place = kind === RecordKind.kept && of === RecordKind.decision ? 4 : 3;
  if (kind !== RecordKind.decision && place === 3) return record;
  const choice = graph.choice(slot.id, record[place] as number);
  return choice === undefined ? null : record.with(place, choice);
}
