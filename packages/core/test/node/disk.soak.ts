/**
 * Every single fsync of a run on SQLite: the process dies at it, or it fails. `strace` must be installed. What was acknowledged
 * stays, what stands is whole, and who opens the file next goes on.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sqlite } from "../../src/node/index.ts";
import { holes, readAll } from "../../src/testing/backend-contract/fixtures.ts";
import { runToEnd } from "./child.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const hasStrace = spawnSync("strace", ["-V"]).status === 0;
const appends = 12;
const moments = Array.from({ length: 30 }, (_, i) => i + 1);

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function acknowledged(stdout: string): number {
  return Math.max(0, ...[...stdout.matchAll(/^ok (\d+)$/gm)].map(([, seq]) => Number(seq)));
}

async function appendUnder(injection: string): Promise<{ stdout: string; lastSeq: number; holes: string[] }> {
  const file = join(folder.path, "runs.db");
  const maker = sqlite(file);
  await maker.open("maker");
  await maker.close();
  const command = ["strace", "-f", "-qqq", "-o", "/dev/null", "-e", injection];
  const { stdout } = runToEnd("append-some", [file, String(appends)], command);
  const observer = sqlite(file);
  await observer.open("observer");
  const lastSeq = (await observer.get("r"))?.lastSeq ?? 0;
  const found = holes(await readAll(observer, "r"), lastSeq);
  await observer.close();
  return { stdout, lastSeq, holes: found };
}

test.skipIf(!hasStrace).each(moments)("H20 SIGKILL at fsync number %i", async (when) => {
  const result = await appendUnder(`inject=fsync:signal=SIGKILL:when=${when}`);
  expect(result.holes).toEqual([]);
  expect(result.lastSeq).toBeGreaterThanOrEqual(acknowledged(result.stdout));
});

test.skipIf(!hasStrace).each(moments)("H19 EIO at fsync number %i", async (when) => {
  const result = await appendUnder(`inject=fsync:error=EIO:when=${when}`);
  expect(result).toMatchObject({ lastSeq: appends + 1, holes: [] });
});

test.skipIf(!hasStrace).each(moments)("H19 EIO at fsync number %i and all that follow", async (when) => {
  const result = await appendUnder(`inject=fsync:error=EIO:when=${when}+`);
  expect(result.holes).toEqual([]);
  expect(result.lastSeq).toBeGreaterThanOrEqual(acknowledged(result.stdout));
});

test.skipIf(!hasStrace).each(moments.slice(0, 15))("H18 ENOSPC from write number %i0 on", async (tens) => {
  const result = await appendUnder(`inject=pwrite64:error=ENOSPC:when=${tens * 10}+`);
  expect(result.holes).toEqual([]);
  expect(result.lastSeq).toBeGreaterThanOrEqual(acknowledged(result.stdout));
});
