import { expect, test } from "vitest";
import { z } from "zod";
import { append, END, last, memory, openEngine, START, stateGraph, type Reducer } from "../../src/index.ts";

const add = (init = 0): Reducer<number, number> => ({ init, reduce: (sum, n) => sum + n });

test("a line of nodes", async () => {
  const line = stateGraph("line", { state: { n: last(0), log: append<string>() }, nodes: ["a", "b"] })
    .node("a", ({ n }, to) => to.write({ n: n + 1, log: "a" }))
    .node("b", async ({ n }, to) => [to.write({ n: n * 10 }), to.write({ log: "b" })])
    .entry("a")
    .edge("a", "b")
    .edge("b", END)
    .compile();
  await using engine = await openEngine({ backend: memory() });
  expect(await engine.run(line, { n: 1 })).toEqual({ n: 20, log: ["a", "b"] });
  expect(await engine.run(line, { n: 1 }, { thread: "t" })).toEqual({ n: 20, log: ["a", "b"] });
  expect(await engine.run(line, { n: 2 }, { thread: "t" })).toEqual({ n: 30, log: ["a", "b", "a", "b"] });
});

test("sends, branches, joins, gotos", async () => {
  const graph = stateGraph("mixed", {
    state: { items: last<number[]>([]), sum: add(), log: append<string>() },
    nodes: ["plan", "work", "total", "after"],
  })
    .node("plan", ({ items }, to) => items.map((item) => to.send("work", { item })))
    .node("work", async ({ item }: { item: number }, to) => to.write({ sum: item * item }))
    .node("total", ({ sum }, to) => [to.write({ log: `total ${sum}` }), to.goto("after")])
    .node("after", (_s, to) => to.write({ log: "after" }))
    .branch(START, ({ items }) => (items.length > 0 ? "plan" : END))
    .branch("plan", () => [])
    .edge("work", "total")
    .compile();
  await using engine = await openEngine({ backend: memory() });
  expect(await engine.run(graph, { items: [1, 2, 3] })).toEqual({
    items: [1, 2, 3],
    sum: 14,
    log: ["total 14", "after"],
  });
  expect(await engine.run(graph, {})).toEqual({ items: [], sum: 0, log: [] });
});

test("a task that asks", async () => {
  const graph = stateGraph("ask", { state: { log: append<string>() }, nodes: ["ask", "act"] })
    .node(
      "ask",
      (_s, to, run) => {
        const ok = run.answer("approve");
        if (ok === undefined) return to.interrupt("approve", { n: 1 });
        return to.write({ log: `asked ${ok.yes}` });
      },
      { asks: { approve: { answer: z.object({ yes: z.boolean() }) } } },
    )
    .node("act", (_s, to) => to.write({ log: "act" }))
    .entry("ask")
    .edge("ask", "act")
    .compile();
  await using engine = await openEngine({ backend: memory() });
  const handle = await engine.start(graph, {}, { thread: "t" });
  const result = await handle.result();
  expect(result).toMatchObject({ status: "interrupted", interrupts: [{ payload: { n: 1 } }] });
  await handle.answer(handle.interrupts()[0]!.id, { yes: true });
  expect(await handle.output()).toEqual({ log: ["asked true", "act"] });
});

test("a subgraph, a limit", async () => {
  const child = stateGraph("child", { initial: 0, merge: (s: number, u: number) => s + u, nodes: ["inc"] })
    .node("inc", (_n, to) => to.write(1))
    .branch("inc", (n) => (n < 5 ? "inc" : END))
    .compile();
  const parent = stateGraph("parent", { state: { n: last(0) }, nodes: ["a", "sub"] })
    .node("a", ({ n }, to) => to.write({ n: n + 1 }))
    .subgraph("sub", child, { enter: ({ n }) => n, leave: (n) => ({ n }) })
    .entry("a")
    .edge("a", "sub")
    .compile();
  const endless = stateGraph("endless", { state: { n: add() }, nodes: ["inc"] })
    .node("inc", (_s, to) => to.write({ n: 1 }))
    .branch("inc", ({ n }) => (n < 1000 ? "inc" : END))
    .compile();
  await using engine = await openEngine({ backend: memory() });
  expect(await engine.run(parent, { n: 1 })).toEqual({ n: 5 });
  await expect(engine.run(endless, {})).rejects.toMatchObject({ message: expect.stringContaining("25 supersteps") });
  const handle = await engine.start(endless, {});
  expect(await handle.result()).toMatchObject({
    status: "failed",
    errors: [{ code: "StepLimit" }],
    cells: { endless: { state: { n: 25 } } },
  });
});

test("a list that many tasks of a superstep write to is copied once, and what nodes read is never changed", async () => {
  let copies = 0;
  const plain = append<number>();
  const list: Reducer<number[], number> = {
    ...plain,
    grow: {
      ...plain.grow!,
      copy: (before) => {
        copies++;
        return [...before];
      },
    },
  };
  const read: (readonly number[])[] = [];
  const graph = stateGraph("fan", { state: { list }, nodes: ["work", "look"] })
    .node("work", ({ i }: { i: number }, to) => to.write({ list: i }))
    .node("look", ({ list: seen }, to) => {
      read.push(seen);
      return to.write({ list: -1 });
    })
    .branch(START, (_state, to) => [0, 1, 2].map((i) => to.send("work", { i })))
    .edge("work", "look")
    .branch("look", ({ list: seen }) => (seen.length < 5 ? "look" : END))
    .compile();
  await using engine = await openEngine();
  expect(await engine.run(graph, {})).toEqual({ list: [0, 1, 2, -1, -1] });
  expect({ copies, read }).toEqual({
    copies: 3,
    read: [
      [0, 1, 2],
      [0, 1, 2, -1],
    ],
  });
  expect(read.every((seen) => Object.isFrozen(seen))).toBe(true);
});
