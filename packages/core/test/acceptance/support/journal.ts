/** Journals taken apart and put together again, so that a run can be crashed behind any of its records. */
import { memory, type Backend, type JournalRow } from "../../../src/index.ts";
import type { MemoryBackend } from "../../../src/backends/memory.ts";
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

/** A store in which the run's process died when the first `count` records were durable. */
export async function crashedBehind(recording: Recording, count: number): Promise<MemoryBackend> {
  const dead = memory();
  await dead.open("dead");
  const { records, runId, graph, fingerprint, createdAt } = recording;
  const first = packRow(
    records.slice(0, count).map((record) => JSON.stringify(record)),
    1,
    0,
  );
  await dead.create({ id: runId, graph, fingerprint, createdAt, first });
  await dead.abandon();
  return dead.another();
}
