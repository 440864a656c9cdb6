import { statSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

import type { BackendStats, RunStatus } from "../../../ports/backend.ts";
import { countOthers, countRuns, weighBlobs, weighEntries, weighJournal } from "../sql/stats.ts";
import type { Connection } from "./connection.ts";
import { schemaVersion } from "./schema.ts";

/** Rows whose lengths are added up in one turn of the thread: commits go on between the turns. */
const PORTION_ROWS = 10_000;

/** `read` gives the reading handle to what it is called with, and waits for locks. */
export type Reading = <Result>(work: (reader: Connection) => Result) => Promise<Result>;

/** The counts are of one moment or another while it ran: a snapshot would keep the log from being written back. */
export async function statsOf(file: string, owners: number, read: Reading): Promise<BackendStats> {
  const runs = await read((reader) => reader.all(countRuns));
  const others = await read((reader) => reader.get(countOthers));
  const journal = await weigh(weighJournal, read);
  const blobs = await weigh(weighBlobs, read);
  const entries = await weigh(weighEntries, read);
  return {
    runs: Object.fromEntries(runs.map((row) => [row["status"] as RunStatus, Number(row["runs"])])),
    journalRows: journal.rows,
    journalBytes: journal.bytes,
    blobs: blobs.rows,
    blobBytes: blobs.bytes,
    notes: Number(others?.["notes"]),
    threads: Number(others?.["threads"]),
    entries: entries.rows,
    entryBytes: entries.bytes,
    owners,
    bytes: bytesOf(file),
    schemaVersion,
  };
}

async function weigh(sql: string, read: Reading): Promise<{ readonly rows: number; readonly bytes: number }> {
  let rows = 0;
  let bytes = 0;
  let after: number | null = 0;
  while (after !== null) {
    const key: number = after;
    const portion = await read((reader) => reader.get(sql, key, PORTION_ROWS));
    rows += Number(portion?.["found"]);
    bytes += Number(portion?.["bytes"]);
    after = portion?.["last"] as number | null;
    await nextTurn();
  }
  return { rows, bytes };
}

/** Of the file and its log. */
export function bytesOf(file: string): number {
  return sizeOf(file) + sizeOf(`${file}-wal`);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
