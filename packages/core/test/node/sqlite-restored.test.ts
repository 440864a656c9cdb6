/** A backup that is put back while a process from before lives (H28). */
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";

import { sqlite, type SqliteBackend } from "../../src/node/index.ts";
import { appendTo, holes, mustGet, readAll, started } from "../../src/testing/backend-contract/fixtures.ts";
import { Child } from "./child.ts";
import { temporaryFolder } from "./temporary-folder.ts";

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, "runs.db");
});
afterEach(() => folder.remove());

const ledger = (): string => join(folder.path, "ledger");

/** Which body each process began, in order. */
function begun(): { pid: string; link: number }[] {
  if (!existsSync(ledger())) return [];
  const lines = readFileSync(ledger(), "utf8").trimEnd().split("\n");
  return lines.map((line) => ({ pid: line.split(" ")[0]!, link: Number(line.split(" ")[1]) }));
}

function child(...args: string[]): Child {
  const made = new Child("drive-links", ...args);
  onTestFinished(() => made.end());
  return made;
}

async function until(what: () => boolean): Promise<void> {
  for (let i = 0; i < 4_000 && !what(); i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(what()).toBe(true);
}

/** As any tool for SQLite makes one: whole, while others write. */
function backUp(): string {
  const backup = join(folder.path, "backup.db");
  const database = new DatabaseSync(file);
  database.exec(`VACUUM INTO '${backup}'`);
  database.close();
  return backup;
}

function putBack(backup: string): void {
  renameSync(backup, file);
  for (const beside of ["-wal", "-shm"]) rmSync(file + beside, { force: true });
}

async function opened(owner: string): Promise<SqliteBackend> {
  const backend = sqlite(file);
  await backend.open(owner);
  onTestFinished(() => backend.close());
  return backend;
}

test("H28 a backup is put back under a living process: it writes nothing into it, and nobody drives a run beside the next one", async () => {
  const old = child(file, ledger(), "r");
  await old.until("open\n");
  await until(() => begun().length > 5);
  const backup = backUp();
  const atBackup = begun().length;
  await until(() => begun().length > atBackup + 5);
  putBack(backup);
  const restorer = await opened("restorer");
  const before = await mustGet(restorer, "r");
  expect(before.owner).not.toBeNull();
  expect(await restorer.fenceAll({ resume: false, at: Date.now() })).toEqual({ runs: 1, owned: 1 });
  await old.until("closed\n");
  expect(old.stdout).toMatch(/failed DatabaseReplaced .*no longer there/);
  const untouched = await mustGet(restorer, "r");
  expect([untouched.status, untouched.owner, untouched.lastSeq]).toEqual(["needs_review", null, before.lastSeq]);
  expect(untouched.lastSeq).toBeLessThan(60);

  const next = child(file, ledger(), "r");
  await next.until("closed\n");
  expect(next.stdout).toContain('"output":{"n":60}');
  const after = await mustGet(restorer, "r");
  expect(after.status).toBe("completed");
  expect(holes(await readAll(restorer, "r"), after.lastSeq)).toEqual([]);
  const pids = begun().map(({ pid }) => pid);
  expect(pids.lastIndexOf(String(old.process.pid))).toBeLessThan(pids.indexOf(String(next.process.pid)));
}, 60_000);

test("H28 a process that writes to the file in place of which another stands is refused, and does not open that one", async () => {
  const old = await opened("old");
  const run = await started(old, "r");
  const backup = backUp();
  expect((await old.append(appendTo(run))).type).toBe("ok");
  putBack(backup);
  const refusal = { code: "DatabaseReplaced", message: expect.stringContaining(file) as string };
  for (let i = 0; i < 2; i += 1)
    await expect(old.append(appendTo({ ...run, lastSeq: 2 }))).rejects.toMatchObject(refusal);
  await expect(old.get("r")).rejects.toMatchObject(refusal);
  await expect(old.claim({ statuses: ["running"], limit: 1, at: 1 })).rejects.toMatchObject(refusal);
  await old.close();
  const now = await opened("now");
  expect(await mustGet(now, "r")).toEqual(run);
});

test("H28 a file that was moved away is written no more, and where it was nothing new is made", async () => {
  const old = await opened("old");
  const run = await started(old, "r");
  renameSync(file, `${file}.away`);
  await expect(old.append(appendTo(run))).rejects.toMatchObject({ code: "DatabaseReplaced" });
  renameSync(`${file}.away`, file);
  expect((await old.append(appendTo(run))).type).toBe("ok");
});

test("H28 a backup that is written into the same file fences a process that lives by epochs alone", async () => {
  const old = await opened("old");
  const run = await started(old, "r");
  const row = await mustGet(old, "r");
  await old.append(appendTo(run));
  // As `.restore` does: the file stays the same one.
  const database = new DatabaseSync(file);
  database.exec("DELETE FROM millrace_journal WHERE first_seq = 2; UPDATE millrace_runs SET last_seq = 1");
  database.close();
  expect((await mustGet(old, "r")).lastSeq).toBe(row.lastSeq);
  const now = await opened("now");
  await now.fenceAll({ resume: true, at: 2 });
  expect((await old.append(appendTo(run))).type).toBe("lost");
  expect((await mustGet(now, "r")).lastSeq).toBe(1);
});
