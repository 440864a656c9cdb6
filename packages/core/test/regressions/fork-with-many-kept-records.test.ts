import { expect, test } from "vitest";
import { graph, memory, op, reduce, type Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

/** More than a call takes arguments. */
const many = 130_000;

test("a fork may keep more for later than a call has room for", { timeout: 60_000 }, async () => {
  const first = op("first", async () => ({}));
  const count = op("count", function* ({ to }: { to: number }) {
    for (let n = 0; n < to; n++) yield { n: 1 };
  });
  const counting = graph("counting", (input: Ref<{ to: number }>) => {
    const counted = count({ to: input.to }, { after: [first({})] });
    return { sum: reduce("sum", counted.n, 0, (sum, n) => sum + n) };
  });
  const engine = await open({ backend: memory(), graphs: [counting] });
  await engine.run(counting, { to: 3 }, { id: "origin" });
  const items = Array.from({ length: many }, () => ({ n: 1 }));
  const fork = await engine.fork("origin", { rerun: ["first"], patch: { outputs: { count: items } } });
  expect(await fork.output()).toEqual({ sum: many });
});
