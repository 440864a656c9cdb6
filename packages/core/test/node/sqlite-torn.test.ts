import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, expect, test } from "vitest";
import { MillraceError } from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import { RowReader, packRow } from "../../src/journal/rows.ts";
import { Dice } from "../../src/testing/dice.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const runs = 4;
const records = 30;
const tries = 25;

/** A database whose last commits are in its write-ahead log only, as a crash leaves it; the sizes of the log after each. */
async function crashed(folder: string): Promise<string> {
  const file = join(folder, "whole.db");
  const backend = sqlite(file);
  await backend.open("writer");
  for (let r = 0; r < runs; r++) {
    const first = packRow([JSON.stringify([0, { run: r }])], 1, 0);
    await backend.create({ id: `r${r}`, graph: "g", fingerprint: "f", createdAt: r, first });
    let { chain } = first;
    for (let seq = 2; seq <= records; seq++) {
      const row = packRow([JSON.stringify([1, seq, 0, `value ${seq} of ${r}`.padEnd(200, ".")])], seq, chain);
      ({ chain } = row);
      await backend.append({ runId: `r${r}`, epoch: 1, row, at: seq });
    }
  }
  for (const suffix of ["", "-wal"]) copyFileSync(file + suffix, join(folder, `torn.db${suffix}`));
  await backend.close();
  return join(folder, "torn.db");
}

/** What stands in the file: per run its last record; throws as a reader of the journal would. */
async function standing(file: string): Promise<readonly number[]> {
  const backend = sqlite(file);
  try {
    await backend.open("reader");
    const found: number[] = [];
    for (let r = 0; r < runs; r++) {
      const row = await backend.get(`r${r}`);
      if (row === undefined) {
        found.push(0);
        continue;
      }
      const reader = new RowReader(row.id);
      for await (const journalRow of backend.read(row.id)) reader.unpack(journalRow);
      reader.finish(row.lastSeq, row.chain);
      found.push(row.lastSeq);
    }
    return found;
  } finally {
    await backend.close();
  }
}

/** Runs were written one after the other: what is left is everything up to some commit, and nothing behind it. */
function isPrefix(found: readonly number[]): boolean {
  const open = found.findIndex((last) => last < records);
  return open === -1 || found.slice(open + 1).every((last) => last === 0);
}

/** Neither a prefix nor an error that names the damage. */
function wrong(found: readonly unknown[]): unknown[] {
  return found.filter((item) => !(item instanceof MillraceError) && !isPrefix(item as number[]));
}

test("H21 a log cut off anywhere leaves whole commits, the first of them, or is named as damaged; never less than the row says", async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const file = await crashed(folder.path);
  const [database, log] = [readFileSync(file), readFileSync(`${file}-wal`)];
  expect(log.length).toBeGreaterThan(100_000);
  const dice = new Dice(21, 1);
  const found: unknown[] = [];
  for (let i = 0; i < tries; i++) {
    writeFileSync(file, database);
    writeFileSync(`${file}-wal`, log);
    truncateSync(`${file}-wal`, dice.below(statSync(`${file}-wal`).size));
    found.push(await standing(file).catch((error: unknown) => error));
  }
  expect(wrong(found)).toEqual([]);
  expect(found.filter((item) => Array.isArray(item)).length).toBeGreaterThan(0);
});

test("H21 a bit turned anywhere in the log leaves the commits before it, or is named as damaged; never another value", async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const file = await crashed(folder.path);
  const [database, log] = [readFileSync(file), readFileSync(`${file}-wal`)];
  const dice = new Dice(21, 2);
  const found: unknown[] = [];
  for (let i = 0; i < tries; i++) {
    writeFileSync(file, database);
    const turned = Buffer.from(log);
    const at = dice.below(turned.length);
    turned[at] = (turned[at] as number) ^ (1 << dice.below(8));
    writeFileSync(`${file}-wal`, turned);
    found.push(await standing(file).catch((error: unknown) => error));
  }
  expect(wrong(found)).toEqual([]);
  expect(found.filter((item) => Array.isArray(item)).length).toBeGreaterThan(0);
});
