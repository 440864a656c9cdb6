import { expect, test } from "vitest";
import { collect, each, graph, op, reduce, sweep, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { crashEverywhere } from "../acceptance/support/engines.ts";
import { forever } from "../acceptance/support/gate.ts";

/** The output was undefined: the collect went the way of the stream's source, which was swept. */
test("a stream that is swept before its first item is an empty one, as one that is swept after it is a shorter one", async () => {
  const never = op("never", async function* (_i: { x: string }) {
    await forever();
    yield { n: 1 };
  });
  const list = op("list", async (_i: { x: string }): Promise<{ xs: number[] }> => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { xs: [] };
  });
  const inc = op("inc", async ({ n }: { n: number }) => ({ n: n + 1 }));
  const go = op("go", async () => ({ yes: true }));
  const g = graph("g", (input: Ref<{ x: string }>) => {
    const item = never({ x: input.x });
    const element = each(list({ x: input.x }).xs);
    const worked = inc({ n: item.n });
    sweep("stop", { on: go().yes, cancel: [item.n, element] });
    return {
      all: collect(worked.n),
      sum: reduce("sum", item.n, 7, (a, b) => a + b),
      elements: collect(element),
      after: inc({ n: 1 }, { name: "after", after: [worked.n] }).n,
    };
  });
  await crashEverywhere(
    g,
    { x: "a" },
    ({ result }) =>
      expect(result).toMatchObject({ status: "completed", output: { all: [], sum: 7, elements: [], after: 2 } }),
    { check: checkInvariants },
  );
});
