/**
 * H2: a job that waited for a free thread of a worker pool began when one was free, though the lease on its run had lapsed
 * meanwhile: another engine may have begun it by then.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { graph, memory, WrappedBackend, type Observer, type Ref } from "../../src/index.ts";
import { workerPool } from "../../src/node/index.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually } from "../acceptance/support/gate.ts";
import * as ops from "../node/programs/cpu-ops.ts";
import { temporaryFolder } from "../node/temporary-folder.ts";

class Lease extends WrappedBackend {
  isAlive = true;

  override alive(): boolean {
    return this.isAlive;
  }
}

const flow = graph("flow", (input: Ref<{ first: string; second: string }>) => ({
  a: ops.marks({ file: input.first, ms: 200 }, { name: "a" }),
  b: ops.marks({ file: input.second, ms: 1 }, { name: "b" }),
}));

test("H2 a job does not begin before the lease is renewed, and never when the run is lost", async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const cpu = workerPool({ module: new URL("../node/programs/cpu-ops.ts", import.meta.url), threads: 1 });
  const backend = new Lease(memory());
  // The first job is with the thread by then, and the second one in the queue.
  const observer: Observer = {
    attemptStarted: ({ node }) => {
      if (node === "b") queueMicrotask(() => (backend.isAlive = false));
    },
  };
  const engine = await open({ backend, graphs: [flow, ops.echo], cpu, poll: 5, observer });
  // Its modules are loaded then.
  await engine.run(ops.echo, { value: 1 });
  const files = (run: string) => ({ first: join(folder.path, `${run}-1`), second: join(folder.path, `${run}-2`) });
  const handle = await engine.start(flow, files("kept"), { id: "kept" });
  await eventually("the first is over", () => existsSync(files("kept").first));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(existsSync(files("kept").second)).toBe(false);
  backend.isAlive = true;
  expect(await handle.result()).toMatchObject({ status: "completed" });
  expect(existsSync(files("kept").second)).toBe(true);
  const lost = await engine.start(flow, files("lost"), { id: "lost" });
  const ended = lost.result().catch((error: Error) => error);
  await eventually("the first is over", () => existsSync(files("lost").first));
  await engine.close();
  expect(await ended).toMatchObject({ code: "EngineClosed" });
  expect(existsSync(files("lost").second)).toBe(false);
});
