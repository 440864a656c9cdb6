/** State graphs in state graphs, in items, and in workflows: as deep as anybody wants. */
import { expect, test } from "vitest";
import {
  append,
  collect,
  each,
  graph,
  memory,
  openEngine,
  stateGraph,
  threadsOf,
  workflow,
  type Ref,
  type StateGraph,
} from "../../src/index.ts";
import { crashEverywhere } from "../acceptance/support/engines.ts";

interface State {
  readonly log: readonly string[];
}
type Level = StateGraph<State, { readonly log?: string }>;

const leaf = stateGraph("leaf", { state: { log: append<string>() }, nodes: ["x", "y"] })
  .node("x", async (_state, to) => to.write({ log: "x" }))
  .node("y", (_state, to) => to.write({ log: "y" }))
  .entry("x")
  .edge("x", "y")
  .compile() as Level;

function around(inner: Level, level: number): Level {
  return stateGraph(`level${level}`, { state: { log: append<string>() }, nodes: ["inner"] })
    .subgraph("inner", inner, { enter: () => ({}), leave: ({ log }) => ({ log: `${level}(${log.join()})` }) })
    .compile();
}

const six = [2, 3, 4, 5, 6].reduce(around, leaf);

test("six state graphs in one another run, and a thread knows where the innermost stands", async () => {
  const engine = await openEngine({ backend: memory(), graphs: [six] });
  const threads = threadsOf(engine, six);
  expect(await (await threads.start("t", {})).result()).toMatchObject({
    status: "completed",
    output: { log: ["6(5(4(3(2(x,y)))))"] },
  });
  expect((await threads.history("t")).map(({ step, state }) => [step, state.log.length])).toEqual([
    [1, 1],
    [0, 0],
    [-1, 0],
  ]);
  await engine.close();
});

test("after a crash behind any record, six deep, the outcome is the same", async () => {
  let crashes = 0;
  await crashEverywhere(six, {}, ({ result }, undisturbed) => {
    crashes++;
    expect(result).toEqual(undisturbed.result);
  });
  expect(crashes).toBeGreaterThan(2);
});

test("a state graph runs in items of items of items, and in a workflow of a workflow", async () => {
  const deep = graph("deep", (input: Ref<{ rows: { cells: { marks: string[] }[] }[] }>) => {
    const row = each(input.rows);
    const cell = each(row.cells);
    const mark = each(cell.marks);
    return { logs: collect(leaf({ log: mark }).log) };
  });
  const inner = workflow("inner", { uses: [six] }, async (w, log: string) => (await w.run(six, { log })).log);
  const outer = workflow("outer", { uses: [inner] }, async (w, log: string) => w.run(inner, log));
  const engine = await openEngine();
  expect(await engine.run(deep, { rows: [{ cells: [{ marks: ["a", "b"] }] }] })).toEqual({
    logs: [
      [
        [
          ["a", "x", "y"],
          ["b", "x", "y"],
        ],
      ],
    ],
  });
  expect(await engine.run(outer, "z")).toEqual(["z", "6(5(4(3(2(x,y)))))"]);
  await engine.close();
});
