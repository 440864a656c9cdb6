import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { killAtRandom } from "../../src/testing/sigkill.ts";
import { Child } from "./support/child.ts";
import { Effects, folder } from "./support/files.ts";

function lastResult(child: Child): unknown {
  const line = child.stdout.split("\n").find((text) => text.startsWith("result "));
  return line === undefined ? undefined : JSON.parse(line.slice("result ".length));
}

test("P3.1 R11 A, B and C in a row, SIGKILL while C is in flight: a new process finishes the run with A and B run once, C twice under one key, and the output of an uninterrupted run", async () => {
  const path = folder();
  const effects = new Effects(join(path, "effects.txt"));
  const first = new Child("a-b-c", [join(path, "runs.db"), effects.file, "hang"]);
  await first.until("C began");
  await first.kill();
  expect(effects.lines().map((line) => line.split(" ")[0])).toEqual(["A", "B", "C"]);

  const whole = new Child("a-b-c", [join(path, "other.db"), join(path, "other.txt"), "go"]);
  const second = new Child("a-b-c", [join(path, "runs.db"), effects.file, "go"]);
  expect(await second.exit(), second.stderr).toBe(0);
  const lines = effects.lines();
  expect(lines.map((line) => line.split(" ")[0])).toEqual(["A", "B", "C", "C"]);
  const keys = lines.filter((line) => line.startsWith("C")).map((line) => line.split(" ")[1]);
  expect(new Set(keys).size).toBe(1);

  expect(await whole.exit()).toBe(0);
  expect(lastResult(second)).toEqual({ status: "completed", output: { c: "c(b(a(1)))" }, errors: [], cells: {} });
  expect(lastResult(second)).toEqual(lastResult(whole));
}, 60_000);

test("P3.1 R11 a stream killed three times at different depths ends with every item once in the result, and repeats only what was in flight", async () => {
  const path = folder();
  const file = join(path, "runs.db");
  const effects = new Effects(join(path, "effects.txt"));
  for (const [round, at] of [3, 12, 25].entries()) {
    const child = new Child("count-up", [file, effects.file, "40", "4", ...(round === 0 ? [] : ["resume"])]);
    await child.until(`item ${at} `);
    await child.kill();
  }
  const last = new Child("count-up", [file, effects.file, "40", "1", "resume"]);
  expect(await last.exit(), last.stderr).toBe(0);
  expect(lastResult(last)).toEqual({ status: "completed", output: { total: 780, items: 40 }, errors: [], cells: {} });
  const counts = Object.values(effects.counts());
  expect(counts).toHaveLength(40);
  // Three bodies at most were in flight, or done and not yet durable, at each of the three kills.
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(40 + 3 * 3);
}, 60_000);

test.each(["sync", "async"])(
  "R12 H49 unsafe bodies killed again and again under %s durability: none has its effect twice, and each is in the result",
  async (durability) => {
    const path = folder();
    const effects = new Effects(join(path, "effects.txt"));
    const n = 24;
    const args = (): string[] => [join(path, "runs.db"), effects.file, String(n), durability];
    const lives = await killAtRandom({
      program: new URL("programs/charge-once.ts", import.meta.url),
      args,
      kills: 6,
      seed: durability === "sync" ? 41 : 42,
      points: [{ after: "charging", within: 25 }],
    });
    const counts = effects.counts();
    expect(Object.keys(counts)).toHaveLength(n);
    expect(Math.max(...Object.values(counts))).toBe(1);
    const last = lives.at(-1)?.stdout ?? "";
    const result = JSON.parse(
      last
        .split("\n")
        .find((text) => text.startsWith("result "))
        ?.slice(7) ?? "null",
    ) as unknown;
    expect(result).toMatchObject({
      status: "completed",
      output: { ids: Array.from({ length: n }, (_, k) => `c${k}`) },
      errors: [],
    });
    const asked = lives.filter(({ stdout }) => stdout.includes("asked ")).length;
    expect(lives.filter(({ killed }) => killed).length).toBeGreaterThan(2);
    expect(asked).toBeGreaterThan(0);
  },
  60_000,
);

test("S11 S12 a workflow killed in its sleep and again in its third call: what was over does not run again, and one timer served both; a body that calls in another order is told", async () => {
  const path = folder();
  const effects = new Effects(join(path, "effects.txt"));
  const args = (file: string, mode: string): string[] => [join(path, file), effects.file, mode];
  const first = new Child("a-b-sleep-c", args("runs.db", "hang"));
  await first.until("timer is set");
  await first.kill();
  const second = new Child("a-b-sleep-c", args("runs.db", "hang"));
  await second.until("C began");
  await second.kill();
  for (const end of ["", "-wal"]) cpSync(join(path, `runs.db${end}`), join(path, `other.db${end}`));

  const swapped = new Child("a-b-sleep-c", [join(path, "other.db"), join(path, "other.txt"), "swapped"]);
  const last = new Child("a-b-sleep-c", args("runs.db", "go"));
  expect(await last.exit(), last.stderr).toBe(0);
  expect(lastResult(last)).toMatchObject({ status: "completed", output: { c: "c(b(a(1)))" }, timers: 1 });
  const lines = effects.lines();
  expect(lines.map((line) => line.split(" ")[0])).toEqual(["A", "B", "C", "C"]);
  expect(new Set(lines).size).toBe(3);
  expect(await swapped.exit(), swapped.stderr).toBe(0);
  const [{ code, message }] = (lastResult(swapped) as { errors: [{ code: string; message: string }] }).errors;
  expect(code).toBe("NonDeterministicWorkflow");
  expect(message).toContain('call 0 of workflow "flow" is "B", and "A" is recorded');
}, 60_000);
