import { expect, test } from "vitest";
import { cell, each, graph, memory, op, push, read, reduce, type Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

const same = op("same", ({ x }: { x: number }) => ({ x }));
/** Folds that change their accumulator, as people write them. */
const gathered = graph("gathered", (input: Ref<{ xs: number[] }>) => {
  const { x } = same({ x: each(input.xs) });
  const log = cell("log", {
    init: [] as number[],
    reduce: (list: number[], n: number) => {
      list.push(n);
      return list;
    },
  });
  const pushed = push(log, x);
  const all = reduce("all", x, [] as number[], (list, n) => {
    list.push(n);
    return list;
  });
  return { all, log: read(log, { after: [pushed] }) };
});

test.each([undefined, memory()])(
  "a fold that changes its accumulator leaks nothing into the next run",
  async (backend) => {
    const engine = await open(backend === undefined ? {} : { backend });
    expect(await engine.run(gathered, { xs: [1, 2] })).toEqual({ all: [1, 2], log: [1, 2] });
    expect(await engine.run(gathered, { xs: [3] })).toEqual({ all: [3], log: [3] });
  },
);
