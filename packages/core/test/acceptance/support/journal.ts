/** Journals taken apart and put together again, so that a run can be crashed behind any of its records. */
import { memory, type Backend, type JournalRow } from "../../../src/index.ts";
import type { MemoryBackend } from "../../../src/backends/memory.ts";
import { RecordKind } from "../../../src/events/record.ts";
import { packRow } from "../../../src/journal/rows.ts";

/** One record as it stands in the journal: `[kind, …]`. */
export type RawRecord = readonly [kind: number, ...rest: unknown[]];

export interface Recording {
  readonly runId: string;
  readonly graph: string;
  readonly fingerprint: string;
  readonly createdAt: number;
  readonly records: readonly RawRecord[];
}

export async function rowsOf(backend: Backend, runId: string): Promise<JournalRow[]> {
  const rows: JournalRow[] = [];
  for await (const row of backend.read(runId)) rows.push({ ...row, bytes: new Uint8Array(row.bytes) });
  return rows;
}

export function recordsIn(row: Pick<JournalRow, "bytes">): RawRecord[] {
  return JSON.parse(new TextDecoder().decode(row.bytes)) as RawRecord[];
}

export async function recordingOf(backend: Backend, runId: string): Promise<Recording> {
  const row = await backend.get(runId);
  if (row === undefined) throw new Error(`there is no run ${runId}`);
  const { graph, fingerprint, createdAt } = row;
  return { runId, graph, fingerprint, createdAt, records: (await rowsOf(backend, runId)).flatMap(recordsIn) };
}

/** As rows of a writer: a snapshot has one of its own, as S1 of `journal/size.ts` needs; all between two are one. */
function rowsWith(records: readonly RawRecord[]): [JournalRow, ...JournalRow[]] {
  const isAlone = (record: RawRecord | undefined): boolean => record?.[0] === RecordKind.snapshot;
  const begins = records.flatMap((record, i) => (i > 0 && (isAlone(record) || isAlone(records[i - 1])) ? [i] : []));
  const rows: JournalRow[] = [];
  for (const [i, begin] of [0, ...begins].entries()) {
    const texts = records.slice(begin, begins[i]).map((record) => JSON.stringify(record));
    rows.push(packRow(texts, begin + 1, rows.at(-1)?.chain ?? 0));
  }
  return rows as [JournalRow, ...JournalRow[]];
}

/** A store in which the run's process died when the first `count` records were durable. */
export async function crashedBehind(recording: Recording, count: number): Promise<MemoryBackend> {
  const dead = memory();
  await dead.open("dead");
  const { records, runId, graph, fingerprint, createdAt } = recording;
  const [first, ...others] = rowsWith(records.slice(0, count));
  await dead.create({ id: runId, graph, fingerprint, createdAt, first });
  for (const row of others) await dead.append({ runId, epoch: 1, row, at: createdAt });
  await dead.abandon();
  return dead.another();
}
