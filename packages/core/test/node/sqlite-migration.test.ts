import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";

import { storeOver } from "../../src/index.ts";
import { sqlite, type SqliteBackend } from "../../src/node/index.ts";
import { selectNewestInThread, selectRuns } from "../../src/node/sqlite/sql/select-runs.ts";
import type { Post } from "../../src/ports/inbox.ts";
import { appendTo, holes, mustGet, newRun, readAll, started } from "../../src/testing/backend-contract/fixtures.ts";
import { appendOld, createOld, oldDatabase, oldStatements } from "./old-schemas.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const late = 9_999_999_999_999;

let folder: ReturnType<typeof temporaryFolder>;
let old: DatabaseSync;
let backend: SqliteBackend;
beforeEach(() => {
  folder = temporaryFolder();
  backend = sqlite(file());
});
afterEach(async () => {
  old.close();
  await backend.close();
  folder.remove();
});

function file(): string {
  return join(folder.path, "runs.db");
}

function cancel(runId: string): Post {
  return { runId, kind: "cancel", key: "", bytes: new Uint8Array([1]), by: null, at: 5, wakes: ["interrupted"] };
}

function prune(): ReturnType<SqliteBackend["prune"]> {
  return backend.prune({ endedBefore: late, limit: 100, blobsBefore: late });
}

test("R32 a database of schema version 1 gains trace ids and labels, its runs stay, and a process of that version goes on beside it", async () => {
  old = oldDatabase(file(), 1);
  const insertOld = old.prepare(`INSERT INTO millrace_runs
    (id, graph, fingerprint, status, owner, epoch, attempts, last_seq, chain, created_at, updated_at)
    VALUES (?, 'g', 'f', 'drained', NULL, 1, 0, 1, 7, 1, 1)`);
  insertOld.run("before");
  await backend.open("a");
  expect(backend.settings().schemaVersion).toBe(6);
  insertOld.run("beside");
  await backend.create(newRun("after", { traceId: "t", labels: { user: "ann" }, thread: "th" }));
  const rows = await backend.list();
  expect(rows.map(({ id, traceId, labels, thread }) => [id, traceId, labels, thread])).toEqual([
    ["after", "t", { user: "ann" }, "th"],
    ["beside", null, null, null],
    ["before", null, null, null],
  ]);
  expect((await backend.list({ labels: { user: "ann" } })).map(({ id }) => id)).toEqual(["after"]);
});

test.each([1, 2] as const)(
  "H29 a database of schema version %i keeps its runs, journals and blobs, and every one of them works on",
  async (version) => {
    old = oldDatabase(file(), version);
    old.exec(`
      INSERT INTO millrace_runs VALUES (1, 'r', 'g', 'f', 'interrupted', NULL, 3, 2, 1, 7, 1, 1, NULL${", NULL".repeat(2 * (version - 1))});
      INSERT INTO millrace_journal VALUES (1, 1, 1, 1, 7, x'00ff');
      INSERT INTO millrace_blobs VALUES ('h', x'01')`);
    await backend.open("a");
    const row = await mustGet(backend, "r");
    // What was counted before were claims, not deaths.
    expect(row).toMatchObject({ status: "interrupted", epoch: 3, attempts: 0, wakeAt: null, thread: null });
    expect(await readAll(backend, "r")).toEqual([{ firstSeq: 1, count: 1, chain: 7, bytes: new Uint8Array([0, 255]) }]);
    expect(await backend.getBlob("h")).toEqual(new Uint8Array([1]));
    const posted = await backend.post(cancel("r"));
    expect(posted).toMatchObject({ type: "posted", row: { status: "queued" } });
    const [claimed] = await backend.claim({ statuses: ["queued"], limit: 1, at: 9 });
    expect(claimed).toMatchObject({ id: "r", owner: "a", epoch: 4, attempts: 0 });
  },
);

test("H29 a process of schema version 2 appends, claims and ends runs beside this one, and neither loses a record", async () => {
  old = oldDatabase(file(), 2);
  createOld(old, "theirs", "old-engine");
  await backend.open("a");
  for (let after = 1; after <= 20; after += 1) {
    expect(appendOld(old, "theirs", { after, status: "running", release: false })).toBe(true);
    const { id, epoch, lastSeq } = after === 1 ? await started(backend, "ours") : await mustGet(backend, "ours");
    expect(await backend.append(appendTo({ id, epoch, lastSeq }))).toEqual({ type: "ok" });
  }
  expect(holes(await readAll(backend, "theirs"), 21)).toEqual([]);
  expect(holes(await readAll(backend, "ours"), 21)).toEqual([]);
  expect(appendOld(old, "theirs", { epoch: 9, after: 21, status: "completed" })).toBe(false);
  // The run of this version goes to the other one and back.
  await backend.release("ours", 1);
  const asked = { owner: "old-engine", at: 6, statuses: '["running"]', deadOwners: "[]", runId: "ours", graphs: null };
  expect(old.prepare(oldStatements.claimRuns).all({ ...asked, limit: 1 })).toHaveLength(1);
  expect(appendOld(old, "ours", { epoch: 2, after: 21, status: "interrupted" })).toBe(true);
  const [back] = await backend.claim({ statuses: ["interrupted"], limit: 1, at: 7 });
  expect(back).toMatchObject({ id: "ours", owner: "a", epoch: 3, lastSeq: 22, attempts: 0 });
});

test("B9 a run that a process of schema version 2 lets come to rest over a note is queued", async () => {
  old = oldDatabase(file(), 2);
  createOld(old, "r", "old-engine");
  createOld(old, "quiet", "old-engine");
  await backend.open("a");
  // The lock that says that this engine lives is what the other version would hold.
  const theirs = sqlite(file());
  await theirs.open("old-engine");
  old.prepare("UPDATE millrace_runs SET owner = 'old-engine'").run();
  expect(await backend.post(cancel("r"))).toMatchObject({ type: "posted", row: { status: "running" } });
  for (const id of ["r", "quiet"]) expect(appendOld(old, id, { after: 1, status: "interrupted" })).toBe(true);
  expect(await mustGet(backend, "r")).toMatchObject({ status: "queued", owner: null, lastSeq: 2 });
  expect(await mustGet(backend, "quiet")).toMatchObject({ status: "interrupted", owner: null, lastSeq: 2 });
  await theirs.close();
});

test("H25 blobs that were stored before schema version 3, or beside it by a process of version 2, are never pruned", async () => {
  old = oldDatabase(file(), 2);
  const storeOld = old.prepare(oldStatements.insertBlob);
  storeOld.run("before", new Uint8Array([1]));
  await backend.open("a");
  storeOld.run("beside", new Uint8Array([1]));
  for (const hash of ["before", "beside", "stored again by them", "ours alone"]) {
    await backend.putBlob(hash, new Uint8Array([1]));
  }
  storeOld.run("stored again by them", new Uint8Array([1]));
  // Named by a run of this version that is gone: who else names them, nobody knows.
  const blobs = ["before", "beside", "stored again by them", "ours alone"];
  const run = await started(backend, "r", { blobs });
  await backend.append(appendTo(run, { status: "completed", release: true }));
  expect(await prune()).toEqual({ runs: 1, blobs: 1 });
  for (const hash of blobs.slice(0, 3)) expect(await backend.getBlob(hash), hash).toEqual(new Uint8Array([1]));
  expect(await backend.getBlob("ours alone")).toBeUndefined();
});

test("H29 a database of schema version 4 gains a store, and a process of that version that has it open goes on", async () => {
  old = oldDatabase(file(), 4);
  createOld(old, "theirs", "old-engine");
  await backend.open("a");
  expect(backend.settings()).toMatchObject({ foundVersion: 4, schemaVersion: 6 });
  const store = storeOver(backend.store!);
  await store.put(["users", "ann"], "language", "de");
  expect(appendOld(old, "theirs", { after: 1, status: "completed" })).toBe(true);
  expect((await store.get(["users", "ann"], "language"))?.value).toBe("de");
  expect(await backend.stats()).toMatchObject({ entries: 1, entryBytes: 4, runs: { completed: 1 } });
});

test("ended runs of schema version 2 are pruned", async () => {
  old = oldDatabase(file(), 2);
  createOld(old, "r", "old-engine");
  createOld(old, "unfinished", "old-engine");
  appendOld(old, "r", { after: 1, status: "completed" });
  await backend.open("a");
  expect(await prune()).toEqual({ runs: 1, blobs: 0 });
  expect((await backend.list()).map(({ id }) => id)).toEqual(["unfinished"]);
});

test("S14 the newest run of a thread is found by an index, and the next ones come in their order", async () => {
  await backend.open("a");
  old = new DatabaseSync(file());
  const planOf = (text: string, ...values: (string | number | null)[]): string =>
    old
      .prepare(`EXPLAIN QUERY PLAN ${text}`)
      .all(...values)
      .map(({ detail }) => detail)
      .join("; ");
  expect(planOf(selectNewestInThread, "t")).toMatch(
    /^SEARCH millrace_runs USING (COVERING )?INDEX millrace_runs_order \(thread=\?\)$/,
  );
  const listed = selectRuns({ thread: true, labels: false, until: false }).replaceAll(/\$\w+/g, "?");
  expect(planOf(listed, null, null, null, null, "t", 9, 10)).toMatch(
    /^SEARCH millrace_runs USING INDEX millrace_runs_order \(thread=\? AND carried_up_to<\?\)/,
  );
});
