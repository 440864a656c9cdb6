/** Runs that no living worker can take: they stay where they are, and one sees it. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { graph, op, openEngine, type Ref } from "@millrace/core";
import { sqlite } from "@millrace/core/node";
import { fixture, linesOf, millrace, start, temporaryFolder, until, type Finished } from "./cli.ts";

const steps = `${fixture("asks.ts")}#steps`;

test("R27 H44 runs lists what no living worker can take as waiting for one, however long others live beside it", async () => {
  const cwd = temporaryFolder();
  const ledger = join(cwd, "ledger");
  const runs = (...args: string[]): Promise<Finished> => millrace(["runs", ...args, "--db", "runs.db"], { cwd });
  const waiting = async (): Promise<unknown> => (JSON.parse((await runs("--json")).stdout) as { runs: unknown }).runs;
  const args = ["run", steps, "--input", JSON.stringify({ ledger }), "--id", "one", "--db", "runs.db"];
  const driven = start(args, { cwd });
  await until(() => linesOf(ledger).length > 0, driven);
  expect(await waiting()).toEqual([expect.objectContaining({ id: "one", status: "running", waitsForWorker: false })]);
  const before = await runs();
  expect([before.stdout.includes("WAITS FOR"), before.stderr]).toEqual([false, ""]);
  driven.child.kill("SIGKILL");
  await driven.finished;

  // The next version of its graph, by a worker that looks for work all the time.
  const first = op("step", { version: "2" }, async ({ ledger: file }: { ledger: string }) => ({ next: file.length }));
  const changed = graph("steps", (input: Ref<{ ledger: string }>) => ({ done: first({ ledger: input.ledger }).next }));
  const backend = sqlite(join(cwd, "runs.db"));
  const engine = await openEngine({ backend, graphs: [changed], poll: "10ms", warn: () => undefined });
  onTestFinished(() => engine.close());
  await engine.run(changed, { ledger: "four" }, { id: "two" });
  expect(await waiting()).toEqual([
    expect.objectContaining({ id: "two", status: "completed", waitsForWorker: false }),
    expect.objectContaining({ id: "one", status: "running", epoch: 1, waitsForWorker: true }),
  ]);
  const { code, stdout, stderr } = await runs();
  expect([code, stderr]).toEqual([0, "1 run waits for a worker that has the graph as it was\n"]);
  expect(stdout).toMatch(/^one +steps +running .* a worker with steps *$/m);
  expect(stdout).toMatch(/^two +steps +completed /m);
  expect(linesOf(ledger)).toEqual(["step 1"]);
});
