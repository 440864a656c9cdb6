/**
 * The store made a run, and the engine that asked for it was told that this had failed. The engine went on, the run had it
 * for its owner, and nobody drove it until that engine was closed.
 */
import { expect, test } from "vitest";
import { graph, memory, op, openEngine, type CreateResult, type NewRun, type Ref } from "../../src/index.ts";
import { WrappedBackend } from "../../src/backends/wrapped.ts";

class Mute extends WrappedBackend {
  override async create(run: NewRun): Promise<CreateResult> {
    await this.inner.create(run);
    throw new Error("the reply was lost");
  }
}

const one = op("one", async ({ n }: { n: number }) => ({ n: n + 1 }));
const flow = graph("flow", (input: Ref<{ n: number }>) => one({ n: input.n }));

test("I7 H16 a run that was created without its engine hearing of it goes on in another one, while that engine lives", async () => {
  const store = memory();
  await using first = await openEngine({ backend: new Mute(store), graphs: [flow], poll: "1h" });
  await using second = await openEngine({ backend: store.another(), graphs: [flow], poll: "5ms" });
  await expect(first.start(flow, { n: 1 }, { id: "r" })).rejects.toThrow("the reply was lost");
  await expect.poll(async () => (await second.get("r"))?.status, { timeout: 10_000 }).toBe("completed");
  expect(await first.get("r")).toMatchObject({ status: "completed", output: { n: 2 } });
});

test("I7 H16 or in the same engine, when its caller names it", async () => {
  await using engine = await openEngine({ backend: new Mute(memory()), graphs: [flow], poll: "1h" });
  await expect(engine.start(flow, { n: 1 }, { id: "r" })).rejects.toThrow("the reply was lost");
  expect(await (await engine.resume("r")).output()).toEqual({ n: 2 });
});
