import { existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

import { sqlite } from "../../src/node/index.ts";
import { newRun, started } from "../../src/testing/backend-contract/fixtures.ts";
import { runToEnd } from "./child.ts";
import { temporaryFolder } from "./temporary-folder.ts";

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, "runs.db");
});
afterEach(() => folder.remove());

test.each([
  [undefined, 2],
  ["full", 2],
  ["normal", 1],
  ["off", 0],
] as const)("H22 the worker's connection reports WAL, and synchronous %s as %i", async (synchronous, level) => {
  const backend = sqlite(file, { synchronous });
  await backend.open("a");
  expect(backend.settings()).toMatchObject({ journalMode: "wal", synchronous: level });
  await backend.close();
});

test("the database, its log, its index and the lock file can be read by their owner only", async () => {
  const backend = sqlite(file);
  await backend.open("a");
  await started(backend, "r");
  const mode = (path: string): string => (statSync(join(folder.path, path)).mode & 0o777).toString(8);
  expect(readdirSync(folder.path).toSorted()).toEqual(["runs.db", "runs.db-owners", "runs.db-shm", "runs.db-wal"]);
  expect(["runs.db", "runs.db-wal", "runs.db-shm", "runs.db-owners/a.lock"].map(mode)).toEqual(Array(4).fill("600"));
  expect(mode("runs.db-owners")).toBe("700");
  await backend.close();
});

test("a clean close leaves one file", async () => {
  const backend = sqlite(file);
  await backend.open("a");
  await started(backend, "r");
  await backend.close();
  expect(readdirSync(folder.path)).toEqual(["runs.db"]);
});

test("engines that reach the file by a link and by a URL know each other", async () => {
  const direct = sqlite(pathToFileURL(file));
  await direct.open("a");
  await started(direct, "r");
  symlinkSync(file, join(folder.path, "link.db"));
  const linked = sqlite(join(folder.path, "link.db"));
  await linked.open("b");
  expect(await linked.claim({ statuses: ["running"], limit: 1, at: 1 })).toEqual([]);
  await direct.close();
  expect(await linked.claim({ statuses: ["running"], limit: 1, at: 1 })).toHaveLength(1);
  await linked.close();
});

test("lock files of owners that crashed and own nothing are swept away", async () => {
  for (const owner of ["a", "b"]) {
    const backend = sqlite(file);
    await backend.open(owner);
    await backend.abandon();
  }
  const backend = sqlite(file);
  await backend.open("c");
  expect(readdirSync(`${file}-owners`)).toEqual(["c.lock"]);
  await backend.close();
});

test(":memory: and an empty path are refused, naming memory()", () => {
  for (const path of [":memory:", ""]) {
    expect(() => sqlite(path)).toThrow(expect.objectContaining({ code: "DatabaseUnavailable" }));
    expect(() => sqlite(path)).toThrow("memory()");
  }
});

test("a missing folder, or a folder in the place of the file: DatabaseUnavailable", async () => {
  const missing = sqlite(join(folder.path, "no", "such", "runs.db"));
  await expect(missing.open("a")).rejects.toMatchObject({
    code: "DatabaseUnavailable",
    message: expect.stringMatching(/does not exist/) as string,
  });
  const directory = sqlite(folder.path);
  await expect(directory.open("a")).rejects.toMatchObject({
    code: "DatabaseUnavailable",
    message: expect.stringMatching(/is not a file/) as string,
  });
  await missing.close();
  await directory.close();
});

test("a failed open can be tried again", async () => {
  writeFileSync(file, "not a database".repeat(500));
  const backend = sqlite(file);
  await expect(backend.open("a")).rejects.toMatchObject({ code: "DatabaseCorrupt" });
  writeFileSync(file, "");
  await backend.open("a");
  await backend.close();
});

test("a garbage file is DatabaseCorrupt, and is left as it was", async () => {
  const garbage = "not a database".repeat(500);
  writeFileSync(file, garbage);
  const error: unknown = await sqlite(file)
    .open("a")
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "DatabaseCorrupt" });
  expect(String(error)).toContain(file);
  expect(statSync(file).size).toBe(garbage.length);
  expect(existsSync(`${file}-owners`)).toBe(false);
});

test("H29 a database of a newer schema version is DatabaseTooNew, naming file and both versions", async () => {
  const backend = sqlite(file);
  await backend.open("a");
  const known = backend.settings().schemaVersion;
  await started(backend, "r");
  await backend.close();
  const direct = new DatabaseSync(file);
  direct.exec("INSERT INTO millrace_schema VALUES (99, 0)");
  direct.close();
  const error: unknown = await backend.open("a").catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "DatabaseTooNew" });
  expect(String(error)).toContain(file);
  expect(String(error)).toContain("schema version 99");
  expect(String(error)).toContain(`knows ${known}`);
});

test("a database that belongs to an application gets our tables beside its own", async () => {
  const direct = new DatabaseSync(file);
  direct.exec("CREATE TABLE customers (name TEXT); INSERT INTO customers VALUES ('Ada')");
  const backend = sqlite(file);
  await backend.open("a");
  expect(await backend.create(newRun("r"))).toEqual({ type: "created" });
  expect({ ...direct.prepare("SELECT * FROM customers").get() }).toEqual({ name: "Ada" });
  direct.close();
  await backend.close();
});

test("an idle backend does not keep the process alive; work that is under way does", () => {
  const child = runToEnd("finish-by-itself", [file]);
  expect({ status: child.status, stdout: child.stdout, stderr: child.stderr }).toEqual({
    status: 0,
    stdout: "stored\n",
    stderr: "",
  });
});
