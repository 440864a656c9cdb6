/** The processes of `sigkill.test.ts`, killed until there is no doubt. `MILLRACE_KILLS=n`: instead of 200. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { crashHarness } from "../../src/testing/index.ts";
import { integrityOf } from "./support/integrity.ts";

const { env } = process;
const kills = Number(env["MILLRACE_KILLS"] ?? 200);
const seed = Number(env["MILLRACE_SOAK_SEED"] ?? Date.now() % 2 ** 32);

test(`R10 R28 ${kills} kills on SQLite`, async () => {
  const report = await crashHarness({
    module: new URL("programs/sqlite-jobs.ts", import.meta.url),
    kills,
    seed,
    died: (place) => expect(integrityOf(join(place, "runs.db")), "integrity_check").toBe("ok"),
  });
  console.log(`crashes on SQLite: ${JSON.stringify(report)}`);
  expect(report.kills).toBeGreaterThanOrEqual(kills);
});

test(`R10 R28 P3.8c ${kills} kills on SQLite under exit durability`, async () => {
  const report = await crashHarness({
    module: new URL("programs/exit-jobs.ts", import.meta.url),
    kills,
    killsEach: 8,
    seed,
    durability: "exit",
    died: (place) => expect(integrityOf(join(place, "runs.db")), "integrity_check").toBe("ok"),
  });
  console.log(`crashes on SQLite, exit: ${JSON.stringify(report)}`);
  expect(report.kills).toBeGreaterThanOrEqual(kills);
  expect(report.crashLoops).toBe(0);
});
