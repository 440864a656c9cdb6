import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { flows, hasStack, millrace, temporaryFolder } from "./cli.ts";

const asRoot = process.getuid?.() === 0;
const greet = ["run", `${flows}#greet`, "--input", '{"name":"a"}', "--db", "runs.db"];

async function withRuns(...ids: string[]): Promise<string> {
  const cwd = temporaryFolder();
  for (const id of ids) await millrace([...greet, "--id", id], { cwd });
  return cwd;
}

function sql(cwd: string, statement: string): DatabaseSync {
  const db = new DatabaseSync(join(cwd, "runs.db"));
  onTestFinished(() => {
    if (db.isOpen) db.close();
  });
  db.exec(statement);
  return db;
}

test("a file that is no database", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "runs.db"), "these are notes, and no database at all\n".repeat(100));
  const { code, stderr } = await millrace(["runs", "--db", "runs.db"], { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain("not an SQLite database");
  expect(hasStack(stderr)).toBe(false);
});

test("a database of a newer version is refused and left alone", async () => {
  const cwd = await withRuns("one");
  sql(cwd, "INSERT INTO millrace_schema (version, applied_at) VALUES (99, 0)").close();
  for (const args of [greet, ["runs", "--db", "runs.db"], ["show", "one", "--db", "runs.db"]]) {
    const { code, stdout, stderr } = await millrace(args, { cwd });
    expect([code, stdout]).toEqual([5, ""]);
    expect(stderr).toMatch(/error: .*written by a newer Millrace \(schema version 99/);
    expect(stderr).toContain("hint: upgrade millrace");
  }
});

test("a locked database is refused, naming the lock", async () => {
  const cwd = await withRuns("one");
  const db = sql(cwd, "BEGIN IMMEDIATE");
  const { code, stderr } = await millrace(greet, { cwd });
  db.close();
  expect(code).toBe(5);
  expect(stderr).toContain("write lock");
  expect(hasStack(stderr)).toBe(false);
});

/** Root may write whatever the modes say, so for root it is a file system that is read-only. */
async function readOnlyRuns(skip: (when: boolean, why: string) => void): Promise<string> {
  skip(process.platform === "win32", "file modes mean something else on Windows");
  if (!asRoot) {
    const cwd = await withRuns("one");
    chmodSync(join(cwd, "runs.db"), 0o444);
    return cwd;
  }
  const disk = temporaryFolder();
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]).status === 0;
  skip(!mounted, "root needs the right to mount a small tmpfs");
  onTestFinished(() => void spawnSync("umount", [disk]));
  await millrace([...greet, "--id", "one"], { cwd: disk });
  expect(spawnSync("mount", ["-o", "remount,ro", disk]).status).toBe(0);
  return disk;
}

test("a read-only database is refused with the reason", async ({ skip }) => {
  const cwd = await readOnlyRuns(skip);
  const { code, stderr } = await millrace(greet, { cwd });
  expect(code).toBe(5);
  expect(stderr).toMatch(/runs\.db: .*cannot be written/);
  expect(hasStack(stderr)).toBe(false);
});

test("a full disk ends the command and not the run: with room it resumes to its end", async ({ skip }) => {
  const cwd = temporaryFolder();
  const disk = join(cwd, "disk");
  mkdirSync(disk);
  const mounted = asRoot && spawnSync("mount", ["-t", "tmpfs", "-o", "size=600k", "tmpfs", disk]).status === 0;
  skip(!mounted, "needs root and the right to mount a small tmpfs");
  onTestFinished(() => void spawnSync("umount", [disk]));
  const db = join(disk, "runs.db");
  const full = await millrace(
    ["run", `${flows}#stream`, "--input", '{"n":4000}', "--db", db, "--id", "big", "--quiet"],
    { cwd },
  );
  expect(full.code).toBe(1);
  expect(full.stderr).toMatch(/error: .*no room left for the database/);
  expect(hasStack(full.stderr)).toBe(false);
  expect(spawnSync("mount", ["-o", "remount,size=20m", disk]).status).toBe(0);
  const resumed = await millrace(["resume", "big", "--graph", `${flows}#stream`, "--db", db], { cwd });
  expect(JSON.parse(resumed.stdout)).toEqual({ count: 4000 });
});

test("a corrupted journal is told with the name of its run, and the other runs are fine", async () => {
  const cwd = await withRuns("good", "bad");
  sql(
    cwd,
    `UPDATE millrace_journal SET bytes = CAST(replace(CAST(bytes AS TEXT), 'Hello', 'Jello') AS BLOB)
     WHERE run = (SELECT n FROM millrace_runs WHERE id = 'bad')`,
  ).close();
  const bad = await millrace(["show", "bad", "--db", "runs.db"], { cwd });
  expect([bad.code, bad.stdout]).toEqual([1, ""]);
  expect(bad.stderr).toMatch(/error: .*\bbad\b/);
  expect(hasStack(bad.stderr)).toBe(false);
  const listed = await millrace(["runs", "--db", "runs.db", "--json"], { cwd });
  expect((JSON.parse(listed.stdout) as { runs: { id: string }[] }).runs.map((run) => run.id)).toEqual(["bad", "good"]);
  const good = await millrace(["show", "good", "--db", "runs.db", "--json"], { cwd });
  expect(JSON.parse(good.stdout)).toMatchObject({ id: "good", output: { text: "Hello, a" } });
});
