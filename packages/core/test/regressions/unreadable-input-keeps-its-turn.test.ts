/** An op of an item whose input lacks a key failed before its turn when the queue was empty (R2): first in, first out. */
import { expect, test } from "vitest";
import { collect, derive, each, graph, op, type Ref } from "../../src/index.ts";
import { crashEverywhere } from "../acceptance/support/engines.ts";

const lacks = op("lacks", async ({ n }: { n: number }) => ({ n }) as { n: number; list: number[] });
const use = op("use", async ({ list }: { list: number[] }) => ({ k: list.length }));
const byOp = graph("byOp", (input: Ref<{ list: number[] }>) => use({ list: input.list }));
const byEdge = graph("byEdge", (input: Ref<{ list: number[] }>) => ({ k: derive(input.list, (list) => list.length) }));

test("an op that cannot read its input fails behind an edge that became ready with it, before and after a crash", async () => {
  const g = graph("g", (input: Ref<{ ns: number[] }>) => {
    const { list } = lacks({ n: each(input.ns) });
    const first = byOp({ list });
    const second = byEdge({ list });
    return { first: collect(first.k, { errors: "skip" }), second: collect(second.k, { errors: "skip" }) };
  });
  await crashEverywhere(g, { ns: [1, 2] }, ({ cut, result }) =>
    expect({ cut, nodes: result.errors.map(({ node }) => node) }).toEqual({ cut, nodes: ["lacks", "byEdge", "byOp"] }),
  );
});
