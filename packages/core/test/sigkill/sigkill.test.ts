/**
 * Processes killed by SIGKILL at random times while they work on SQLite at `synchronous=FULL`, database after database,
 * until there were enough kills.
 *
 * `MILLRACE_KILLS=n` kills n times instead of 50; `MILLRACE_SEED=n` draws the same moments again (what the processes
 * have come to by then is up to the machine).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openEngine, type RunResult } from "../../src/index.ts";
import { jobs, play } from "./support/database.ts";
import { faultsOfPlay, type Undisturbed } from "./support/faults.ts";
import { Tally } from "./support/tally.ts";

const { env } = process;
const kills = Number(env["MILLRACE_KILLS"] ?? 50);
const seed = Number(env["MILLRACE_SEED"] ?? Date.now() % 2 ** 32);
/** Kills of one database at most; then its runs are left to come to their end. */
const killsEach = 10;

async function undisturbed(): Promise<Undisturbed> {
  await using engine = await openEngine({ warn: () => undefined });
  const results = new Map<string, RunResult<unknown>>();
  for (const { id, flow, input } of jobs) results.set(id, await (await engine.start(flow, input, { id })).result());
  return results;
}

test(
  `R11 R12 P3.1 P3.8a P3.8b I1 I2 I3 I4 I6 I12 ${kills} SIGKILLs at random times on SQLite: every run ends as an undisturbed one, nothing acknowledged is lost, nothing finished runs again`,
  { timeout: 120_000 + kills * 10_000 },
  async () => {
    const tally = new Tally();
    const due = await undisturbed();
    const folder = mkdtempSync(join(tmpdir(), "millrace-sigkill-"));
    const playOne = async (database: number, most: number): Promise<void> => {
      const durability = database % 2 === 0 ? "sync" : "async";
      const played = await play(mkdtempSync(join(folder, "database-")), most, seed + database, durability);
      tally.add(played);
      const faults = faultsOfPlay(played, due);
      expect(faults, `seed ${seed}, database ${database}, ${durability} durability`).toEqual([]);
    };
    try {
      // Nobody is killed in the first: what is found there is not the crash's doing.
      await playOne(0, 0);
      for (let i = 1; i <= kills && tally.kills < kills; i++)
        await playOne(i, Math.min(killsEach, kills - tally.kills));
    } finally {
      rmSync(folder, { recursive: true, force: true });
      console.log(`sigkill: seed ${seed}, ${tally.text()}`);
    }
    expect(tally.kills).toBeGreaterThanOrEqual(kills);
    expect(tally.loops, "runs that the undisturbed ones say nothing of").toBeLessThan(tally.runs / 2);
    expect(tally.midWork, "kills in the middle of work").toBeGreaterThan(kills / 2);
  },
);
