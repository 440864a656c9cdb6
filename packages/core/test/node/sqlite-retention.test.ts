import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";

import type { JournalRow } from "../../src/ports/backend.ts";
import { sqlite, type SqliteBackend } from "../../src/node/index.ts";
import {
  appendTo,
  journalRow,
  mustGet,
  newRun,
  readAll,
  started,
} from "../../src/testing/backend-contract/fixtures.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const late = 9_999_999_999_999;

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
let backend: SqliteBackend;
beforeEach(async () => {
  folder = temporaryFolder();
  file = join(folder.path, "runs.db");
  backend = sqlite(file, { synchronous: "off" });
  await backend.open("a");
});
afterEach(async () => {
  await backend.close();
  folder.remove();
});

/** A run that uses every table, and ends. */
async function lived(id: string): Promise<void> {
  const labels = { user: id, all: "same" };
  await backend.putBlob(`first of ${id}`, new Uint8Array(10));
  await backend.putBlob("shared", new Uint8Array(10));
  const created = await started(backend, id, { labels, thread: `thread of ${id}`, blobs: [`first of ${id}`] });
  for (const key of ["handled", "left"]) {
    await backend.post({ runId: id, kind: "answer", key, bytes: new Uint8Array(3), by: "ann", at: 1, wakes: [] });
  }
  const handled = [{ kind: "answer", key: "handled" }] as const;
  const carry = { whole: true, bytes: new Uint8Array([1]) };
  const change = { status: "completed", release: true, at: 5, handled, carry, blobs: ["shared"] } as const;
  expect(await backend.append(appendTo(created, change))).toEqual({ type: "ok" });
}

function rowsByTable(): Record<string, number> {
  const database = new DatabaseSync(file, { readOnly: true });
  expect(database.prepare("PRAGMA integrity_check").all()).toMatchObject([{ integrity_check: "ok" }]);
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  const counts = tables.map(({ name }) => [
    String(name),
    Number(database.prepare(`SELECT count(*) AS n FROM ${String(name)}`).get()?.["n"]),
  ]);
  database.close();
  return Object.fromEntries(counts) as Record<string, number>;
}

test("B11 pruned in portions, no table keeps anything of a run but what its thread carries on", async () => {
  for (let i = 0; i < 25; i += 1) await lived(`r${i}`);
  const before = rowsByTable();
  // Entries of the store belong to no run.
  const { millrace_entries: entries, ...ofRuns } = before;
  expect(entries).toBe(0);
  for (const [table, rows] of Object.entries(ofRuns)) expect(rows, table).toBeGreaterThan(0);
  const portions = [];
  do portions.push(await backend.prune({ endedBefore: late, limit: 10, blobsBefore: late }));
  while (portions.at(-1)?.runs === 10);
  expect(portions).toEqual([
    { runs: 10, blobs: 10 },
    { runs: 10, blobs: 10 },
    { runs: 5, blobs: 6 },
  ]);
  const { millrace_carried: carried, millrace_schema: schema, ...others } = rowsByTable();
  expect(carried).toBe(25);
  expect(schema).toBe(before["millrace_schema"]);
  expect(Object.entries(others).filter(([, rows]) => rows > 0)).toEqual([]);
});

test("H25 one append handles notes, names blobs and carries on; empty rows and empty carried state come back after a crash", async () => {
  const run = await started(backend, "r", { thread: "t" });
  await backend.post({ runId: "r", kind: "cancel", key: "", bytes: new Uint8Array(0), by: null, at: 1, wakes: [] });
  const [note] = await backend.inbox("r");
  expect(note).toEqual({
    id: note?.id,
    runId: "r",
    kind: "cancel",
    key: "",
    bytes: new Uint8Array(0),
    by: null,
    at: 1,
  });
  const row = { ...journalRow(2), bytes: new Uint8Array(0) };
  const carry = { whole: true, bytes: new Uint8Array(0) };
  await backend.append(appendTo(run, { row, carry, handled: [note!] }));
  await backend.append(appendTo(await mustGet(backend, "r"), { carry: { whole: false, bytes: new Uint8Array([7]) } }));
  await backend.abandon();
  backend = sqlite(file);
  await backend.open("b");
  expect((await readAll(backend, "r"))[1]).toEqual(row);
  expect(await backend.inbox("r")).toEqual([]);
  expect(await backend.carried("t")).toEqual([
    { n: 1, runId: "r", whole: true, bytes: new Uint8Array(0) },
    { n: 2, runId: "r", whole: false, bytes: new Uint8Array([7]) },
  ]);
});

test("stats add up journals and blobs that are longer than one portion, while appends go on", async () => {
  const row = (seq: number): JournalRow => ({ ...journalRow(seq), bytes: new Uint8Array(3) });
  const { id, epoch } = await started(backend, "r", { first: row(1) });
  await Promise.all(
    Array.from({ length: 25_000 }, (_, i) =>
      backend.append(appendTo({ id, epoch, lastSeq: i + 1 }, { row: row(i + 2) })),
    ),
  );
  const [stats, appended] = await Promise.all([
    backend.stats(),
    backend.append(appendTo({ id, epoch, lastSeq: 25_001 }, { row: row(25_002) })),
  ]);
  expect(appended).toEqual({ type: "ok" });
  expect([25_001, 25_002]).toContain(stats.journalRows);
  expect(stats.journalBytes).toBe(3 * stats.journalRows);
  expect(await backend.stats()).toMatchObject({ journalRows: 25_002, journalBytes: 75_006, blobs: 0, owners: 1 });
  expect(stats.bytes).toBeGreaterThan(stats.journalBytes);
  expect(stats.schemaVersion).toBe(backend.settings().schemaVersion);
});

test("stats count owners that live, not those that died", async () => {
  const others = [sqlite(file), sqlite(file)];
  await others[0]?.open("b");
  await others[1]?.open("c");
  expect((await backend.stats()).owners).toBe(3);
  await others[0]?.abandon();
  expect((await backend.stats()).owners).toBe(2);
  await others[1]?.close();
  expect((await backend.stats()).owners).toBe(1);
});

test("close waits for stats that were asked before it, and leaves one file", async () => {
  await backend.create(newRun("r"));
  const stats = backend.stats();
  await backend.close();
  expect((await stats).journalRows).toBe(1);
  expect(readdirSync(folder.path)).toEqual(["runs.db"]);
});
