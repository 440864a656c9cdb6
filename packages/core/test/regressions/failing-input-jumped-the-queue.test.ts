import { expect, test } from "vitest";
import { collect, derive, each, graph, memory, op, type Ref } from "../../src/index.ts";
import { interpret } from "../../src/testing/simulate/verdict.ts";
import { readJournal } from "../../src/testing/simulate/journal.ts";
import { planOf } from "../../src/build/plan-of.ts";
import { open } from "../acceptance/support/engines.ts";

const lacks = op("lacks", async ({ x }: { x: number }) => ({ x }) as { x: number; list: number[] });
const take = op("take", async ({ list, x }: { list: number[]; x: number }) => ({ y: list.length + x }));
const inner = graph("inner", (input: Ref<{ list: number[]; x: number }>) => ({
  y: take({ list: input.list, x: input.x }).y,
}));
const outer = graph("outer", (input: Ref<{ list: number[]; x: number }>) => ({
  a: inner({ list: input.list, x: input.x }).y,
  b: derive([input.list, input.x], ([list, x]) => list.length + x),
}));

// An op in a lane that failed on its input took its second turn in the queue before what became ready with it.
test("an op that fails on its input fails behind what became ready with it", async () => {
  const g = graph("g", (input: Ref<{ x: number; xs: number[] }>) => {
    const { a, b } = outer({ list: lacks({ x: input.x }).list, x: each(input.xs) });
    return { a: collect(a, { errors: "skip" }), b: collect(b, { errors: "skip" }) };
  });
  const backend = memory();
  const engine = await open({ backend });
  const result = await (await engine.start(g, { x: 1, xs: [1, 2] }, { id: "run" })).result();
  const { happenings } = await readJournal(backend, "run");
  expect(result.errors.map(({ node }) => node)).toEqual(["lacks", "outer", "outer/inner"]);
  expect(interpret(planOf(g), happenings).reference.errors.map(({ node }) => node)).toEqual(
    result.errors.map(({ node }) => node),
  );
});
