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
import { afterAll, beforeAll, expect, test } from "vitest";
import { openEngine, type CustomEvent } from "../../src/index.ts";
import { killAtRandom } from "../../src/testing/sigkill.ts";
import { Client } from "../acceptance/support/client.ts";
import { chat, chatInput } from "./support/chats.ts";
import { integrityOf } from "./support/integrity.ts";
import { packPrograms, type Packed } from "./support/packed.ts";

const { env } = process;
const kills = Number(env["MILLRACE_KILLS"] ?? 50);
const seed = Number(env["MILLRACE_SEED"] ?? Date.now() % 2 ** 32);

let packed: Packed;
beforeAll(async () => {
  packed = await packPrograms();
});
afterAll(() => packed.remove());

test(
  `R10 R11 R12 R28 P3.1 P3.8a P3.8b I1 I2 I3 I4 I6 I12 ${kills} SIGKILLs at random times on SQLite: every run ends as an undisturbed one, nothing acknowledged is lost, nothing finished runs again`,
  { timeout: 120_000 + kills * 10_000 },
  async () => {
    const report = await packed.crashHarness({
      module: packed.program("sqlite-jobs"),
      kills,
      seed,
      died: (place) => expect(integrityOf(join(place, "runs.db")), "integrity_check").toBe("ok"),
    });
    console.log(`sigkill: ${JSON.stringify(report)}`);
    expect(report.kills).toBeGreaterThanOrEqual(kills);
    expect(report.crashLoops, "runs that the undisturbed ones say nothing of").toBeLessThan(report.runs / 2);
    expect(report.midWork, "kills in the middle of work").toBeGreaterThan(kills / 2);
  },
);

const exitKills = Math.ceil(kills / 3);

test(
  `R10 R11 P3.8c P3.2 I1 I2 I3 I4 I6 I12 ${exitKills} SIGKILLs under exit durability: a run goes on from where it rested last, no answer that was acknowledged is lost, every run ends as an undisturbed one`,
  { timeout: 120_000 + exitKills * 10_000 },
  async () => {
    const report = await packed.crashHarness({
      module: packed.program("exit-jobs"),
      kills: exitKills,
      killsEach: 8,
      seed,
      durability: "exit",
      died: (place) => expect(integrityOf(join(place, "runs.db")), "integrity_check").toBe("ok"),
    });
    console.log(`sigkill, exit: ${JSON.stringify(report)}`);
    expect(report.kills).toBeGreaterThanOrEqual(exitKills);
    // Which body was at work at a crash is not known, so none is blamed for it.
    expect(report.crashLoops).toBe(0);
    expect(report.bodiesAgain, "what was lost is done again").toBeGreaterThan(exitKills);
    // A start, and a row for each rest, each time that it was taken up, and each answer: none for a step.
    expect(report.acknowledged).toBeLessThan(report.records / 2);
  },
);

test(
  "H79 R10 R11 R28 P3.1 I1 SIGKILLs in the middle of ephemeral streams: what they gave is void, they begin anew, and every run ends as an undisturbed one",
  { timeout: 120_000 },
  async () => {
    const report = await packed.crashHarness({
      module: packed.program("sqlite-chats"),
      kills: 6,
      killsEach: 3,
      seed,
    });
    console.log(`sigkill among ephemeral items: ${JSON.stringify(report)}`);
    expect(report.kills).toBeGreaterThanOrEqual(6);
    expect(report.bodiesAgain, "streams and items that began anew").toBeGreaterThan(4);
    expect(report.crashLoops, "runs that the undisturbed ones say nothing of").toBeLessThan(report.runs / 2);
  },
);

test("H79 R28 a client that reads on over SIGKILLs has of every ephemeral stream what there is in the end", async () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-chat-"));
  const client = new Client();
  try {
    const lives = await killAtRandom({
      program: packed.program("tell-chat"),
      args: (life) => {
        const { seq, part } = client.place;
        return [join(folder, "runs.db"), String(seq), String(part), `${["one", "two"][life - 1]}-word`];
      },
      // It dies by itself, in the middle of a turn; one at work at three deaths in a row would not begin again.
      kills: 2,
      seed,
      points: [{ after: "what it never says", within: 0 }],
      died: ({ stdout }) => {
        // The last line may be torn.
        for (const line of stdout.split("\n").slice(0, -1)) client.take(JSON.parse(line) as CustomEvent);
      },
    });
    expect(lives.length, "processes").toBe(3);
    expect(client.resets.length, "streams that began anew").toBe(2);
    const undisturbed = await openEngine();
    const whole = new Client();
    await whole.read((await undisturbed.start(chat, chatInput)).stream("custom"));
    expect(Object.fromEntries(client.texts)).toEqual(Object.fromEntries(whole.texts));
    await undisturbed.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);

test("R28 I1 a store that acknowledges before it has written is found out", { timeout: 300_000 }, async () => {
  const module = packed.program("hasty-store");
  await expect(packed.crashHarness({ module, kills: 20, seed: 1, durability: "sync" })).rejects.toMatchObject({
    code: "CrashHarnessFailed",
    message: expect.stringMatching(/I1: record \d+ was acknowledged to process \d+, and is not there/) as string,
  });
});
