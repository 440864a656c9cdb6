import { expect, test } from "vitest";
import { collect, each, graph, memory, op, type Ref } from "../../src/index.ts";
import { open } from "./support/engines.ts";

test("P3.10 without a backend nothing is encoded, frozen or kept: values reach their consumers as they are", async () => {
  const given: unknown[] = [];
  const make = op("make", ({ n }: { n: number }) => ({ call: () => n }));
  const use = op("use", (input: { call: () => number }) => {
    given.push(Object.isFrozen(input));
    return { n: input.call() };
  });
  const calls = graph("calls", (input: Ref<{ ns: number[] }>) => ({
    ns: collect(use({ call: make({ n: each(input.ns) }).call }).n),
  }));
  const bare = await open();
  expect(await bare.run(calls, { ns: [1, 2, 3] })).toEqual({ ns: [1, 2, 3] });
  expect(given).toEqual([false, false, false]);
  const kept = await open({ backend: memory(), graphs: [calls] });
  await expect(kept.run(calls, { ns: [1] })).rejects.toThrow(/output\.call: function/);
});
