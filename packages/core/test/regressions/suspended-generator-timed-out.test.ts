import { expect, test } from "vitest";
import { collect, graph, op, type Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

const numbers = op("numbers", { timeout: { run: 60 } }, async function* ({ n }: { n: number }) {
  for (let i = 0; i < n; i++) yield { i };
});
const slowly = op("slowly", async ({ i }: { i: number }) => {
  await new Promise((done) => setTimeout(done, 30));
  return { i };
});

test("R06 the run timeout of a generator stands still while it waits for credit", async () => {
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    all: collect(slowly({ i: numbers({ n: input.n }).i }, { buffer: 1 }).i),
  }));
  const engine = await open();
  expect(await engine.run(flow, { n: 6 })).toEqual({ all: [0, 1, 2, 3, 4, 5] });
});
