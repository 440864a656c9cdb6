import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { checkRuns, derive, graph, interrupt, loop, op, openEngine, type Ref } from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import { runToEnd } from "./child.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const strace = spawnSync("strace", ["-V"]).status === 0;
const page = "x".repeat(3_000);
const step = op("step", { async: true }, async ({ n }: { n: number }) => ({ n: n + 1, page }));
const asking = graph("asking", (input: Ref<{ to: number }>) => {
  const sum = loop("turns", { max: 100 }, { n: 0 }, (state) => {
    const next = step({ n: state.n });
    return { next: { n: next.n }, until: derive([next.n, input.to] as const, ([n, to]) => n >= to) };
  });
  return { n: sum.n, ok: interrupt("sure", { n: sum.n }, { answer: z.object({ ok: z.boolean() }) }).ok };
});
const ids = ["a", "b", "c"];

let folder: ReturnType<typeof temporaryFolder>;
let made: string;
beforeAll(async () => {
  folder = temporaryFolder();
  made = join(folder.path, "made.db");
  const engine = await openEngine({ backend: sqlite(made), snapshots: { after: 1, share: Infinity } });
  for (const id of ids) await (await engine.start(asking, { to: 30 }, { id })).result();
  await engine.close();
});
afterAll(() => folder.remove());

/** How many records each run has lost, and that it goes on to its end all the same. */
async function goOn(file: string): Promise<number[]> {
  const backend = sqlite(file);
  const engine = await openEngine({ backend, graphs: [asking], recover: false });
  await checkRuns(backend, { found: (problem) => expect.unreachable(JSON.stringify(problem)) });
  const gone: number[] = [];
  for (const id of ids) {
    const rows = await Array.fromAsync(backend.read(id));
    gone.push(rows[0]!.count - 1);
    expect(rows[0]!.count === 1 || new TextDecoder().decode(rows[0]!.bytes).startsWith("[[23,")).toBe(true);
    expect(await (await engine.answer(id, "sure", { ok: true })).output()).toEqual({ n: 30, ok: true });
  }
  await engine.close();
  return gone;
}

test
  .skipIf(!strace)
  .each([
    ...[1, 2, 3, 4].map((when) => ["fsync", when] as const),
    ...[1, 4, 11, 22, 37].map((when) => ["pwrite64", when] as const),
  ])(
  "H24 SIGKILL at %s number %i of a compaction: every run has its journal whole or compacted, and goes on to the same end (skipped without strace)",
  { timeout: 60_000 },
  async (call, when) => {
    const file = join(folder.path, `${call}-${when}.db`);
    copyFileSync(made, file);
    const inject = `inject=${call}:signal=SIGKILL:when=${when}`;
    const { stdout } = runToEnd("compact-all", [file], ["strace", "-f", "-qqq", "-o", "/dev/null", "-e", inject]);
    const gone = await goOn(file);
    const said = stdout.split("\n").filter((line) => line !== "").length;
    const compacted = gone.filter((count) => count > 0).length;
    expect(compacted).toBeGreaterThanOrEqual(said);
    expect(compacted).toBeLessThanOrEqual(said + 1);
  },
);

test("H24 left alone, a compaction takes all runs", { timeout: 30_000 }, async () => {
  const file = join(folder.path, "whole.db");
  copyFileSync(made, file);
  expect(runToEnd("compact-all", [file]).stderr).toBe("");
  expect((await goOn(file)).every((count) => count > 50)).toBe(true);
});
