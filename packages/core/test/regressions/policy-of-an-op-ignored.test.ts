import { expect, test } from "vitest";
import { graph, op, type Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

const bad = op("bad", { onFailure: "record" }, async () => {
  throw new Error("as expected");
});
const good = op("good", async ({ x }: { x: number }) => {
  await new Promise((done) => setTimeout(done, 5));
  return { x };
});

test('R07 onFailure: "record" of an op stands under errors: "raise" of the run', async () => {
  const flow = graph("flow", (input: Ref<{ x: number }>) => {
    bad();
    return { x: good({ x: input.x }).x };
  });
  const engine = await open({ errors: "raise" });
  const result = await (await engine.start(flow, { x: 1 })).result();
  expect(result).toMatchObject({ status: "completed", output: { x: 1 }, errors: [{ node: "bad" }] });
});
