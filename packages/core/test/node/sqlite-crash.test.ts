import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { sqlite } from "../../src/node/index.ts";
import { appendTo, holes, mustGet, readAll } from "../../src/testing/backend-contract/fixtures.ts";
import { Child } from "./child.ts";
import { temporaryFolder } from "./temporary-folder.ts";

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, "runs.db");
});
afterEach(() => folder.remove());

/** The last line a run got out in full. */
function acknowledged(stdout: string): Map<string, number> {
  const last = new Map<string, number>();
  for (const line of stdout.split("\n").slice(0, -1)) {
    const [run = "", seq = ""] = line.split(" ");
    last.set(run, Number(seq));
  }
  return last;
}

test("I1 I2 H20 SIGKILL in the middle of appends, eight times: what was acknowledged is durable, without gaps", async () => {
  const observer = sqlite(file);
  await observer.open("observer");
  for (let kill = 0; kill < 8; kill += 1) {
    const child = new Child("append-forever", file, `kill${kill}`);
    await child.until(`kill${kill}-7 1\n`);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
    await child.end("SIGKILL");

    const before = performance.now();
    const claimed = await observer.claim({ statuses: ["running"], limit: 100, at: 1 });
    expect(performance.now() - before, "milliseconds to take over").toBeLessThan(1_000);
    expect(claimed.map(({ id, epoch }) => `${id} epoch ${epoch}`).toSorted()).toEqual(
      Array.from({ length: 8 }, (_, i) => `kill${kill}-${i} epoch 2`),
    );

    for (const [id, lastSeq] of acknowledged(child.stdout)) {
      const run = await mustGet(observer, id);
      expect(run.lastSeq).toBeGreaterThanOrEqual(lastSeq);
      // One append per run was under way; a durable one that nobody heard of is the normal state after a crash.
      expect(run.lastSeq).toBeLessThanOrEqual(lastSeq + 1 + 1);
      expect(holes(await readAll(observer, id), run.lastSeq)).toEqual([]);
      expect(await observer.append(appendTo(run, { status: "completed", release: true }))).toEqual({ type: "ok" });
    }
  }
  await observer.close();
}, 60_000);

test("H1 a frozen owner (SIGSTOP) is alive: its runs are not taken; killed, they are", async () => {
  const child = new Child("append-forever", file, "frozen");
  await child.until("frozen-7 1\n");
  const observer = sqlite(file, { busyTimeout: 20_000 });
  await observer.open("observer");
  try {
    // Frozen inside a transaction it would hold the write lock; let it go on until it is caught between two.
    for (let caught = false; !caught;) {
      child.process.kill("SIGSTOP");
      const answer = observer.claim({ statuses: ["running"], limit: 100, at: 1 });
      const result = await Promise.race([answer, new Promise<undefined>((resolve) => setTimeout(resolve, 200))]);
      caught = result !== undefined;
      if (!caught) child.process.kill("SIGCONT");
      expect(await answer).toEqual([]);
    }
  } finally {
    await child.end("SIGKILL");
  }
  expect(await observer.claim({ statuses: ["running"], limit: 100, at: 1 })).toHaveLength(8);
  await observer.close();
}, 60_000);
