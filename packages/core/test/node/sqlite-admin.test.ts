import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, expect, test } from "vitest";
import { graph, op, openEngine } from "../../src/index.ts";
import { sqlite, type SqliteBackend } from "../../src/node/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
let backend: SqliteBackend | undefined;
afterAll(() => folder.remove());
afterEach(async () => {
  await backend?.close();
  backend = undefined;
});

const large = op("large", async () => ({ text: "x".repeat(60_000) }));
const flow = graph("flow", () => ({ text: large({}).text }));

async function opened(file: string): Promise<SqliteBackend> {
  backend = sqlite(file);
  await backend.open("admin");
  return backend;
}

async function filled(file: string, runs: number): Promise<void> {
  const engine = await openEngine({ backend: sqlite(file) });
  for (let i = 0; i < runs; i++) await engine.run(flow, undefined, { id: `r${i}` });
  await engine.close();
}

test("a file tells which schema it had when it was opened", async () => {
  const file = join(folder.path, "version.db");
  const first = await opened(file);
  expect(first.settings()).toMatchObject({ foundVersion: 0 });
  const { schemaVersion } = first.settings();
  await first.close();
  expect((await opened(file)).settings()).toMatchObject({ foundVersion: schemaVersion, schemaVersion });
});

test("vacuum gives back the room of what was pruned, and changes nothing else", async () => {
  const file = join(folder.path, "vacuum.db");
  await filled(file, 40);
  const store = await opened(file);
  await store.prune({ endedBefore: 9e12, limit: 39, blobsBefore: 9e12 });
  const { before, after } = await store.vacuum();
  expect(before).toBeGreaterThan(39 * 60_000);
  expect(after).toBeLessThan(before / 5);
  expect(statSync(file).size).toBe(after);
  expect((await store.list()).map(({ id }) => id)).toEqual(["r39"]);
  expect(await store.integrity()).toEqual([]);
});

test("vacuum waits for whoever writes, and gives up by name", async () => {
  const file = join(folder.path, "busy.db");
  await filled(file, 1);
  backend = sqlite(file, { busyTimeout: 50 });
  await backend.open("admin");
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  await expect(backend.vacuum()).rejects.toMatchObject({ code: "DatabaseLocked" });
  other.exec("ROLLBACK");
  other.close();
  expect((await backend.vacuum()).after).toBeGreaterThan(0);
});

test("rows that belong to nothing, and blobs that are missing, are found", async () => {
  const file = join(folder.path, "orphans.db");
  await filled(file, 2);
  const hand = new DatabaseSync(file);
  hand.exec("DELETE FROM millrace_runs WHERE id = 'r0'");
  hand.exec("INSERT INTO millrace_blob_refs (hash, run) VALUES ('gone', 2)");
  hand.close();
  expect(await (await opened(file)).integrity()).toEqual([
    expect.stringMatching(/^\d+ rows of journals belong to no run$/),
    "1 blobs that runs name are missing",
  ]);
});

test("H24 what SQLite itself finds wrong is told", async () => {
  const file = join(folder.path, "index.db");
  await filled(file, 3);
  const hand = new DatabaseSync(file);
  // An index that lacks an entry: made by taking the index away while a row comes.
  const sql = hand.prepare("SELECT sql FROM sqlite_schema WHERE name = 'millrace_runs_created'").get()!["sql"];
  const flags = hand as DatabaseSync & { enableDefensive?: (on: boolean) => void };
  flags.enableDefensive?.(false);
  hand.exec("PRAGMA writable_schema = ON");
  hand.exec(
    "UPDATE sqlite_schema SET sql = replace(sql, '(created_at)', '(updated_at)') WHERE name = 'millrace_runs_created'",
  );
  expect(String(sql)).toContain("(created_at)");
  hand.exec("UPDATE millrace_runs SET created_at = created_at - 100000");
  hand.close();
  const said = await (await opened(file)).integrity();
  expect(said.length).toBeGreaterThan(0);
  expect(said.join("\n")).toContain("millrace_runs_created");
});
