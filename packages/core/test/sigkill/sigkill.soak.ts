/**
 * The processes of `sigkill.test.ts`, killed until there is no doubt. `MILLRACE_KILLS=n`: instead of 200; a fifth
 * as often among ephemeral items.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { crashHarness } from "../../src/testing/index.ts";
import { integrityOf } from "./support/integrity.ts";

const { env } = process;
const kills = Number(env["MILLRACE_KILLS"] ?? 200);
const seed = Number(env["MILLRACE_SOAK_SEED"] ?? Date.now() % 2 ** 32);

/** How often it did. */
async function kill(program: string, times: number): Promise<number> {
  let dead = 0;
  const report = await crashHarness({
    module: new URL(program, import.meta.url),
    kills: times,
    seed,
    died: (place) => {
      if (++dead % 50 === 0) console.log(`${dead} processes so far`);
      expect(integrityOf(join(place, "runs.db")), "integrity_check").toBe("ok");
    },
  });
  console.log(`crashes on SQLite: ${JSON.stringify(report)}`);
  return report.kills;
}

test(`R10 R28 ${kills} kills on SQLite`, async () => {
  expect(await kill("programs/sqlite-jobs.ts", kills)).toBeGreaterThanOrEqual(kills);
});

const few = Math.ceil(kills / 5);
test(`H79 R10 R28 ${few} kills among ephemeral items on SQLite`, async () => {
  expect(await kill("programs/sqlite-chats.ts", few)).toBeGreaterThanOrEqual(few);
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
