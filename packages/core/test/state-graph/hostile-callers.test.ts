import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  append,
  graph,
  last,
  memory,
  openEngine,
  stateGraph,
  threadsOf,
  type Ref,
  type Reducer,
} from "../../src/index.ts";

const sum: Reducer<number, number> = { init: 0, reduce: (all, one) => all + one };
const Yes = z.object({ yes: z.boolean() });

describe("what comes from outside is data", () => {
  const guarded = stateGraph("guarded", { state: { log: append<string>() }, nodes: ["ask"] })
    .node(
      "ask",
      (_state, to, run) => (run.answer("ok") === undefined ? to.interrupt("ok") : to.write({ log: "sent" })),
      { asks: { ok: { answer: Yes } } },
    )
    .compile();
  const board = {
    state: { log: [] },
    works: [{ node: "ask" }],
    seen: {},
    deferred: [],
    step: 1,
    limit: 25,
    left: 25,
    stop: "",
  };
  const turn = { board, given: [{ asking: { answers: { ok: [{ yes: true }] }, recorded: [] } }] };

  test.each([{ $turn: turn }, { turn }, { turn: { turn } }])(
    "an input that looks like a turn is refused: %o",
    async (input) => {
      await using engine = await openEngine({ backend: memory(), graphs: [guarded] });
      await expect(engine.start(guarded, structuredClone(input) as never)).rejects.toMatchObject({
        code: "InvalidValue",
      });
      expect(await engine.list()).toEqual([]);
    },
  );

  test("an input that looks like a turn is refused where a state graph is a node of a graph, too", async () => {
    const flow = graph("flow", (input: Ref<{ data: object }>) => ({ done: guarded(input.data as never) }));
    await using engine = await openEngine({ backend: memory(), graphs: [flow], warn: () => undefined });
    const result = await (await engine.start(flow, { data: { turn } })).result();
    expect([result.status, result.errors.map(({ code }) => code)]).toEqual([
      "failed",
      ["InvalidValue", "SubgraphFailed"],
    ]);
  });

  test("an object that only looks like a step is none", async () => {
    const forged = stateGraph("forged", { state: { n: sum }, nodes: ["a"] })
      .node("a", (() => ({ write: { n: 1 } })) as never)
      .compile();
    await using engine = await openEngine({ warn: () => undefined });
    await expect(engine.run(forged, {})).rejects.toThrow("steps are expected");
  });

  test("a thread has a name: nobody is given the history of all", async () => {
    await using engine = await openEngine({ backend: memory(), graphs: [guarded] });
    const threads = threadsOf(engine, guarded);
    await (await threads.start("t", {})).result();
    for (const name of [undefined, null, ""])
      await expect(threads.history(name as never)).rejects.toMatchObject({ code: "InvalidOption" });
  });
});

test("what a body changes in place is seen by no later run of a state graph in a graph", async () => {
  const notes = stateGraph("notes", { state: { all: last(new Map<string, string>()) }, nodes: ["note"] })
    .node("note", ({ all }) => {
      all.set(`secret ${all.size}`, "of somebody");
    })
    .compile();
  const flow = graph("flow", () => ({ all: notes({}) }));
  await using engine = await openEngine();
  const sizes = [await engine.run(flow, {}), await engine.run(flow, {})].map(
    ({ all }) => (all as { all: Map<string, string> }).all.size,
  );
  expect(sizes).toEqual([1, 1]);
});

test("what a reducer made is not to be changed by a node either", async () => {
  const deep: Reducer<{ readonly deep: { n: number } }, number> = {
    init: { deep: { n: 0 } },
    reduce: (_old, n) => ({ deep: { n } }),
  };
  const graph = stateGraph("deep", { state: { value: deep }, nodes: ["a", "b"] })
    .node("a", (_state, to) => to.write({ value: 1 }))
    .node("b", ({ value }) => {
      value.deep.n = 666;
    })
    .entry("a")
    .edge("a", "b")
    .compile();
  await using engine = await openEngine({ warn: () => undefined });
  await expect(engine.run(graph, {})).rejects.toThrow("read only");
});

test("a task that asked for the turn to stop before it asked a question is heard", async () => {
  const graph = stateGraph("stopping", { state: { log: append<string>() }, nodes: ["ask", "next"] })
    .node(
      "ask",
      (_state, to, run) => {
        if (run.answer("ok") !== undefined) return to.write({ log: "asked" });
        run.cancel();
        return to.interrupt("ok");
      },
      { asks: { ok: { answer: z.boolean() } } },
    )
    .node("next", (_state, to) => to.write({ log: "next" }))
    .entry("ask")
    .edge("ask", "next")
    .compile();
  await using engine = await openEngine({ backend: memory(), graphs: [graph] });
  const threads = threadsOf(engine, graph);
  await (await threads.start("t", {})).result();
  expect(await (await threads.answer("t", "ok", true)).output()).toEqual({ log: ["asked"] });
  expect(await threads.state("t")).toMatchObject({ next: ["next"], state: { log: ["asked"] } });
});

test("an update in the name of one source of a join stands, and the join waits for the other", async () => {
  const graph = stateGraph("half", { state: { log: append<string>() }, nodes: ["a", "b", "tail"] })
    .node("a", (_state, to) => to.write({ log: "a" }))
    .node("b", (_state, to) => to.write({ log: "b" }))
    .node("tail", (_state, to) => to.write({ log: "tail" }))
    .entry("a", "b")
    .join(["a", "b"], "tail")
    .compile();
  await using engine = await openEngine({ backend: memory(), graphs: [graph] });
  const threads = threadsOf(engine, graph);
  await (await threads.start("t", {})).result();
  expect(await threads.update("t", { log: "by hand" }, { asNode: "a" })).toMatchObject({ next: [], source: "update" });
  expect((await (await threads.start("t", {})).output()).log).toEqual(["a", "b", "tail", "by hand", "a", "b", "tail"]);
});
