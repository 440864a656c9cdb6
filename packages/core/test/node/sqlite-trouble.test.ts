import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";

import { sqlite, type SqliteBackend } from "../../src/node/index.ts";
import {
  appendTo,
  holes,
  journalRow,
  mustGet,
  newRun,
  readAll,
  started,
} from "../../src/testing/backend-contract/fixtures.ts";
import { Child, runToEnd } from "./child.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const asRoot = process.getuid?.() === 0;
const powerless = ["--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all"];

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
const opened: SqliteBackend[] = [];
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, "runs.db");
});
afterEach(async () => {
  for (const backend of opened.splice(0)) await backend.close();
  folder.remove();
});

async function open(path: string, options: Parameters<typeof sqlite>[1] = {}, owner = "a"): Promise<SqliteBackend> {
  const backend = sqlite(path, options);
  opened.push(backend);
  await backend.open(owner);
  return backend;
}

test("H8 another process holds the lock longer than the busy timeout: DatabaseLocked, then all works after release", async () => {
  const backend = await open(file, { busyTimeout: 300 });
  const run = await started(backend, "r");
  const holder = new Child("hold-write-lock", file);
  try {
    await holder.until("holding");
    const before = performance.now();
    const results = await Promise.allSettled([backend.append(appendTo(run)), backend.create(newRun("other"))]);
    const waited = performance.now() - before;
    for (const result of results) expect(result).toMatchObject({ reason: { code: "DatabaseLocked" } });
    expect(String((results[0] as PromiseRejectedResult).reason)).toMatch(/runs\.db.*hint: /s);
    expect(waited).toBeGreaterThan(290);
    expect((await mustGet(backend, "r")).lastSeq).toBe(1);
  } finally {
    await holder.end();
  }
  expect(await backend.append(appendTo(run))).toEqual({ type: "ok" });
  expect(await backend.get("other")).toBeUndefined();
});

test("H8 a lock that is released within the busy timeout only delays; the main thread stays free", async () => {
  const backend = await open(file);
  const run = await started(backend, "r");
  const holder = new Child("hold-write-lock", file);
  await holder.until("holding");
  let longest = 0;
  let last = performance.now();
  const beat = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  const appended = backend.append(appendTo(run));
  setTimeout(() => void holder.end(), 300);
  expect(await appended).toEqual({ type: "ok" });
  clearInterval(beat);
  expect(longest).toBeLessThan(150);
});

test("H8 opening waits for the lock too, and says DatabaseLocked when it stays", async () => {
  new DatabaseSync(file).close();
  const holder = new Child("hold-write-lock", file);
  try {
    await holder.until("holding");
    await expect(sqlite(file, { busyTimeout: 200 }).open("a")).rejects.toMatchObject({ code: "DatabaseLocked" });
  } finally {
    await holder.end();
  }
  await open(file);
});

test("H8 two processes hammer one file: both get through, no lock error, no gap", async () => {
  const backend = await open(file);
  const child = new Child("append-forever", file, "theirs");
  await child.until("theirs-7 1");
  const { id, epoch } = await started(backend, "ours");
  const before = child.stdout.length;
  const end = performance.now() + 1_500;
  let lastSeq = 1;
  for (; performance.now() < end; lastSeq += 1) {
    expect(await backend.append(appendTo({ id, epoch, lastSeq }))).toEqual({ type: "ok" });
  }
  const theirs = child.stdout.slice(before).split("\n").length;
  await child.end();
  expect(child.stderr).toBe("");
  expect(lastSeq).toBeGreaterThan(10);
  expect(theirs).toBeGreaterThan(10);
  expect(holes(await readAll(backend, id), lastSeq)).toEqual([]);
});

test("H18 at maxBytes (SQLite's own SQLITE_FULL): DatabaseFull, rolled back, small appends and reads go on", async () => {
  const backend = await open(file, { maxBytes: 512 * 1024 });
  let run = await started(backend, "r");
  const other = await started(backend, "other");
  const large = { ...journalRow(2), bytes: new Uint8Array(600 * 1024) };
  const [big, small] = await Promise.allSettled([
    backend.append(appendTo(run, { row: large })),
    backend.append(appendTo(other)),
  ]);
  expect(big).toMatchObject({ status: "rejected", reason: { code: "DatabaseFull" } });
  expect(small).toMatchObject({ status: "fulfilled", value: { type: "ok" } });
  expect((await mustGet(backend, "r")).lastSeq).toBe(1);
  expect(await backend.append(appendTo(run))).toEqual({ type: "ok" });
  run = await mustGet(backend, "r");
  expect(holes(await readAll(backend, "r"), run.lastSeq)).toEqual([]);
});

test.skipIf(!canMount())(
  "H18 a disk that is really full (tmpfs of 2 MB): DatabaseFull; after freeing space the run goes on",
  async () => {
    const disk = join(folder.path, "disk");
    mkdirSync(disk);
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]).status).toBe(0);
    try {
      writeFileSync(join(disk, "ballast"), new Uint8Array(1 << 20));
      const backend = await open(join(disk, "runs.db"));
      const { id, epoch } = await started(backend, "r");
      let lastSeq = 1;
      let error: unknown;
      for (; error === undefined && lastSeq < 100; lastSeq += error === undefined ? 1 : 0) {
        const row = { ...journalRow(lastSeq + 1), bytes: new Uint8Array(50_000) };
        error = await backend.append(appendTo({ id, epoch, lastSeq }, { row })).then(
          () => undefined,
          (caught: unknown) => caught,
        );
      }
      expect(error).toMatchObject({ code: "DatabaseFull" });
      expect((await mustGet(backend, id)).lastSeq).toBe(lastSeq);
      rmSync(join(disk, "ballast"));
      expect(await backend.append(appendTo({ id, epoch, lastSeq }))).toEqual({ type: "ok" });
      expect(holes(await readAll(backend, id), lastSeq + 1)).toEqual([]);
      await backend.close();
    } finally {
      spawnSync("umount", [disk]);
    }
  },
);

/** Can a child without root's powers run this Node and read these sources? */
function nobodyCanRun(): boolean {
  const read = `require("node:fs").readFileSync(${JSON.stringify(import.meta.filename)})`;
  return spawnSync("setpriv", [...powerless, process.execPath, "-e", read]).status === 0;
}

test.skipIf(!canMount())("a file system mounted read-only: DatabaseReadOnly", async () => {
  const disk = join(folder.path, "disk");
  mkdirSync(disk);
  expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]).status).toBe(0);
  try {
    const backend = await open(join(disk, "runs.db"));
    await started(backend, "r");
    await backend.close();
    expect(spawnSync("mount", ["-o", "remount,ro", disk]).status).toBe(0);
    for (const name of ["runs.db", "new.db"]) {
      await expect(sqlite(join(disk, name)).open("b")).rejects.toMatchObject({ code: "DatabaseReadOnly" });
    }
  } finally {
    spawnSync("umount", [disk]);
  }
});

test("a file, or a folder, this user may not write: DatabaseReadOnly", async ({ skip }) => {
  skip(asRoot && !nobodyCanRun(), "root ignores modes, and a user without its powers cannot run these sources here");
  const backend = await open(file);
  await started(backend, "r");
  await backend.close();
  // Root ignores modes, so as root a child without its powers tries; it must still be able to read the sources.
  const before = asRoot ? ["setpriv", ...powerless] : [];
  const attempt = (path: string): unknown => JSON.parse(runToEnd("open-and-create", [path], before).stdout || "null");
  chmodSync(folder.path, 0o777);
  chmodSync(file, 0o444);
  expect(attempt(file)).toMatchObject({ code: "DatabaseReadOnly", message: expect.stringContaining(file) as string });
  chmodSync(file, 0o666);
  chmodSync(folder.path, 0o555);
  expect(attempt(file)).toMatchObject({
    code: "DatabaseReadOnly",
    message: expect.stringMatching(/folder/) as string,
  });
  expect(attempt(join(folder.path, "new.db"))).toMatchObject({ code: "DatabaseReadOnly" });
  chmodSync(folder.path, 0o777);
});

test("a database file that was cut off: DatabaseCorrupt, not a wrong answer", async () => {
  const backend = await open(file);
  const { id, epoch } = await started(backend, "r");
  for (let lastSeq = 1; lastSeq <= 30; lastSeq += 1) {
    await backend.append(
      appendTo({ id, epoch, lastSeq }, { row: { ...journalRow(lastSeq + 1), bytes: new Uint8Array(3_000) } }),
    );
  }
  await backend.close();
  truncateSync(file, 10 * 4096);
  const again = sqlite(file);
  opened.push(again);
  const result = await again
    .open("b")
    .then(
      () => readAll(again, id),
      (error: unknown) => Promise.reject(error as Error),
    )
    .catch((error: unknown) => error);
  expect(result).toMatchObject({ code: "DatabaseCorrupt" });
});

function canMount(): boolean {
  if (!asRoot) return false;
  const probe = temporaryFolder();
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", probe.path]).status === 0;
  if (mounted) spawnSync("umount", [probe.path]);
  probe.remove();
  return mounted;
}
