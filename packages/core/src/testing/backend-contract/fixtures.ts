import type { Append, Backend, JournalRow, NewRun, RunRow } from "../../ports/backend.ts";

/** A journal row whose bytes name their place; the chain is any number of 32 bits as far as a backend is concerned. */
export function journalRow(firstSeq: number, count = 1, text = `records from ${firstSeq}`): JournalRow {
  const chain = (firstSeq * 2_654_435_761 + count) >>> 0;
  return { firstSeq, count, bytes: new TextEncoder().encode(text), chain };
}

export function newRun(id: string, changes: Partial<NewRun> = {}): NewRun {
  return { id, graph: "orders", fingerprint: "f-1", createdAt: 1_000, first: journalRow(1), ...changes };
}

export function appendTo(
  run: Pick<RunRow, "epoch" | "lastSeq"> & { id: string },
  changes: Partial<Append> = {},
): Append {
  return { runId: run.id, epoch: run.epoch, row: journalRow(run.lastSeq + 1), at: 2_000, ...changes };
}

/** Creates the run and gives back its row. */
export async function started(backend: Backend, id: string, changes: Partial<NewRun> = {}): Promise<RunRow> {
  await backend.create(newRun(id, changes));
  return mustGet(backend, id);
}

export async function mustGet(backend: Backend, id: string): Promise<RunRow> {
  const row = await backend.get(id);
  if (row === undefined) throw new Error(`run ${id} is missing`);
  return row;
}

export async function readAll(backend: Backend, id: string, fromSeq?: number): Promise<JournalRow[]> {
  const rows: JournalRow[] = [];
  for await (const { firstSeq, count, bytes, chain } of backend.read(id, fromSeq)) {
    rows.push({ firstSeq, count, bytes: new Uint8Array(bytes), chain });
  }
  return rows;
}

/** I2: sequence numbers run from 1 without gaps up to the row's `lastSeq`. */
export function holes(rows: readonly JournalRow[], lastSeq: number): string[] {
  const found: string[] = [];
  let expected = 1;
  for (const row of rows) {
    if (row.firstSeq !== expected) found.push(`expected ${expected}, found ${row.firstSeq}`);
    expected = row.firstSeq + row.count;
  }
  if (expected - 1 !== lastSeq) found.push(`the journal ends at ${expected - 1}, the run says ${lastSeq}`);
  return found;
}

/** Ids and names that go wrong where somebody builds SQL, paths or objects out of them. */
export const hostileNames: readonly string[] = [
  "'; DROP TABLE millrace_runs; --",
  '"quoted" `ticks` [brackets]',
  "../../etc/passwd",
  "%2e%2e%2f",
  "__proto__",
  "constructor",
  "a\tb\nc",
  "line\u2028separator",
  "ümläut-\u00e9 against e\u0301",
  "e\u0301",
  "\u00e9",
  "日本語 🧵",
  "x".repeat(1_000),
  " ",
  "Case",
  "case",
  "100%_like",
  "{}",
  "null",
  "0",
];
