import { expect, test } from "vitest";
import { derive, graph, loop, op, type Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

const refuse = op("refuse", async ({ n }: { n: number }): Promise<{ n: number }> => {
  throw new Error(`not ${n}`);
});
const inner = graph("inner", (input: Ref<{ n: number }>) => ({ n: refuse({ n: input.n }).n }));

test("the entry of a failed call in a loop has the path of its iteration", async () => {
  const g = graph("g", (input: Ref<{ n: number }>) =>
    loop("turns", {}, { n: input.n }, (s) => ({ next: { n: inner({ n: s.n }).n }, until: derive(s.n, () => true) })),
  );
  const engine = await open();
  const { errors } = await (await engine.start(g, { n: 1 })).result();
  expect(errors.map(({ path }) => path)).toEqual(["g/turns#0/inner/refuse", "g/turns#0/inner"]);
});
