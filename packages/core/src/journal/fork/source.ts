/** The records of the run that a fork comes from, up to the point where it leaves. */
import { errorOf } from "../../base/error.ts";
import { RecordKind, type GraphNames, type Started } from "../../events/record.ts";
import type { Plan } from "../../model/plan.ts";
import type { Backend, RunRow } from "../../ports/backend.ts";
import { reviverFor, type Revive } from "../blobs.ts";
import { RecordedGraph } from "../recorded-graph.ts";
import { startedOf } from "../replay-rows.ts";
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

/** @throws MillraceError `SeqOutOfRange`, `JournalCorrupt`, `JournalTooNew` */
export async function readSource(backend: Backend, row: RunRow, plan: Plan, until: number): Promise<Source> {
  checkSeq(row, until);
  const reader = new RowReader(row.id);
  const graph = new RecordedGraph(plan);
  const records: SourceRecord[] = [];
  let head: Pick<Source, "started" | "revive"> | null = null;
  let seq = 0;
  for await (const journalRow of backend.read(row.id)) {
    const raw = reader.unpack(journalRow);
    const revive = await reviverFor(backend, row.id, reader, raw);
    for (const record of raw) {
      if (seq >= until && !isBehind(record)) return sourceOf(row, head, records, seq);
      seq++;
      if (head === null) graph.become((head = { started: startedOf(row, record), revive }).started);
      else if (record[0] === RecordKind.resumed && record[3] !== undefined) graph.become(record[3] as GraphNames);
      else take(records, { seq, record, revive }, graph);
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
function take(records: SourceRecord[], { seq, record, revive }: SourceRecord, graph: RecordedGraph): void {
  const place = slotAt(record[0]);
  if (place < 0 && record[0] !== RecordKind.cellSet) return;
  const slot = place < 0 ? 0 : graph.slot(record[place] as number)?.id;
  if (slot !== undefined) records.push({ seq, record: place < 0 ? record : record.with(place, slot), revive });
}
