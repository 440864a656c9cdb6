/** Supersteps that failed: what of them stands, and what their errors name. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  append,
  last,
  memory,
  openEngine,
  stateGraph,
  threadsOf,
  type Engine,
  type EngineOptions,
  type Reducer,
  type StateGraph,
  type Threads,
} from "../../src/index.ts";

async function opened<S, U>(
  graph: StateGraph<S, U>,
  options: EngineOptions = {},
): Promise<{ engine: Engine; threads: Threads<S, U> }> {
  const engine = await openEngine({
    backend: memory(),
    graphs: [graph] as never,
    warn: () => undefined,
    ...options,
  });
  return { engine, threads: threadsOf(engine, graph) };
}

const picky: Reducer<number, number> = {
  init: 0,
  reduce: (sum, n) => {
    if (n > 9) throw new Error("too much");
    return sum + n;
  },
};

describe("a function between updates and state that throws is told with graph, node and field, and the thread stays readable", () => {
  test("a reducer", async () => {
    const graph = stateGraph("picky", { state: { sum: picky, log: append<string>() }, nodes: ["a", "b"] })
      .node("a", (_state, to) => to.write({ sum: 1, log: "a" }))
      .node("b", (_state, to) => [to.write({ log: "b" }), to.write({ sum: 10 })])
      .entry("a")
      .edge("a", "b")
      .compile();
    const { engine, threads } = await opened(graph);
    const result = await (await threads.start("t", {})).result();
    expect(result).toMatchObject({
      status: "failed",
      errors: [
        { message: expect.stringContaining("field sum of state graph picky cannot take what b wrote: too much") },
      ],
    });
    expect(await threads.state("t")).toMatchObject({
      status: "failed",
      state: { sum: 1, log: ["a"] },
      next: ["b"],
      pending: [{ node: "b", error: { code: "ReducerThrew", message: expect.stringContaining("too much") } }],
    });
    expect((await threads.history("t")).map(({ state }) => state.sum)).toEqual([1, 0, 0]);
    // What the node would have given is given in its name.
    await threads.update("t", { sum: 2 }, { asNode: "b" });
    expect((await threads.state("t"))?.state).toEqual({ sum: 3, log: ["a"] });
    await engine.close();
  });

  test("a reducer that gives a promise, and merge", async () => {
    const later = stateGraph("later", {
      state: { n: { init: 0, reduce: (async () => 1) as never } },
      nodes: ["a"],
    })
      .node("a", (_state, to) => to.write({ n: 1 }))
      .compile();
    const merging = stateGraph("merging", {
      initial: 0,
      merge: (_state, n: number) => {
        if (n > 9) throw new Error("too much");
        return n;
      },
      nodes: ["a"],
    })
      .node("a", (_state, to) => to.write(10))
      .compile();
    await using engine = await openEngine({ warn: () => undefined });
    await expect(engine.run(later, {})).rejects.toThrow(/field n of state graph later .* a wrote: .*promise/);
    await expect(engine.run(merging, 0)).rejects.toThrow(
      "merge of state graph merging cannot take what a wrote: too much",
    );
  });

  test("a view", async () => {
    const shown: Reducer<number, number> = {
      ...picky,
      view: (sum) => {
        if (sum > 1) throw new Error("cannot be shown");
        return sum;
      },
    };
    const graph = stateGraph("shown", { state: { sum: shown }, nodes: ["a"] })
      .node("a", (_state, to) => to.write({ sum: 2 }))
      .compile();
    const { engine, threads } = await opened(graph);
    await expect((await threads.start("t", { sum: 1 })).output()).rejects.toThrow(
      "field sum of state graph shown cannot be shown: its view threw cannot be shown",
    );
    await expect(threads.state("t")).rejects.toMatchObject({ code: "ReducerThrew" });
    await engine.close();
  });

  test.each([
    [
      "leave throws",
      () => {
        throw new Error("no way out");
      },
      /sub of state graph parent cannot end: leave threw no way out/,
    ],
    [
      "leave gives a promise",
      async () => ({ n: 1 }),
      /sub of state graph parent cannot end: leave threw leave of sub .*promise/,
    ],
    ["leave writes a field that is not there", () => ({ m: 1 }), /sub of state graph parent writes field m/],
  ] as const)("%s", async (_title, leave, message) => {
    const child = stateGraph("child", { initial: 0, merge: (_old: number, n: number) => n, nodes: ["a"] })
      .node("a", (n, to) => to.write(n + 1))
      .compile();
    const parent = stateGraph("parent", { state: { n: last(0) }, nodes: ["sub", "beside"] })
      .subgraph("sub", child, { enter: ({ n }) => n, leave: leave as never })
      .node("beside", (_state, to) => to.write({ n: 7 }))
      .entry("sub", "beside")
      .compile();
    const { engine, threads } = await opened(parent);
    const result = await (await threads.start("t", { n: 1 })).result();
    expect([result.status, result.errors.map((entry) => entry.message).join(" ")]).toEqual([
      "failed",
      expect.stringMatching(message),
    ]);
    const { state, pending } = (await threads.state("t"))!;
    expect([state, pending.map((task) => [task.node, task.wrote, task.error !== undefined])]).toEqual([
      { n: 1 },
      [
        ["sub", undefined, true],
        ["beside", [{ n: 7 }], false],
      ],
    ]);
    await engine.close();
  });

  test("enter", async () => {
    const child = stateGraph("child", { initial: 0, merge: (_old: number, n: number) => n, nodes: ["a"] })
      .node("a", () => [])
      .compile();
    const parent = stateGraph("parent", { state: { n: last(0) }, nodes: ["sub"] })
      .subgraph("sub", child, {
        enter: () => {
          throw new Error("no way in");
        },
        leave: (n) => ({ n }),
      })
      .compile();
    const { engine, threads } = await opened(parent);
    await expect((await threads.start("t", { n: 1 })).output()).rejects.toThrow(
      "sub of state graph parent cannot begin: enter threw no way in",
    );
    expect(await threads.state("t")).toMatchObject({ state: { n: 1 }, next: ["sub"], status: "failed" });
    await engine.close();
  });
});

/** Three tasks side by side, of which some fail as often as is said. */
function threesome(fails: Record<string, number>, entered: string[] = []) {
  const body = (name: string) => (_state: unknown, to: { write(update: { log: string }): never }) => {
    entered.push(name);
    if ((fails[name] ?? 0) > 0) {
      fails[name]!--;
      throw new Error(`${name} has no luck`);
    }
    return to.write({ log: name });
  };
  return stateGraph("three", { state: { log: append<string>() }, nodes: ["a", "b", "c", "tail"] })
    .node("a", body("a") as never)
    .node("b", body("b") as never)
    .node("c", body("c") as never)
    .node("tail", body("tail") as never)
    .entry("a", "b", "c")
    .join(["a", "b", "c"], "tail")
    .compile();
}

describe("an update where a task failed", () => {
  test("as that node takes its place, and what the others gave stands", async () => {
    const entered: string[] = [];
    const { engine, threads } = await opened(threesome({ b: 1 }, entered));
    await (await threads.start("t", {})).result();
    expect(await threads.update("t", { log: "B by hand" }, { asNode: "b" })).toMatchObject({
      state: { log: ["a", "B by hand", "c"] },
      next: ["tail"],
    });
    expect((await (await threads.start("t", null)).output()).log).toEqual(["a", "B by hand", "c", "tail"]);
    expect(entered).toEqual(["a", "b", "c", "tail"]);
    await engine.close();
  });

  test("in nobody's name lets what failed run again, over the mended state, and nothing else", async () => {
    const entered: string[] = [];
    const { engine, threads } = await opened(threesome({ b: 1 }, entered));
    await (await threads.start("t", {})).result();
    expect(await threads.update("t", { log: "mended" })).toMatchObject({
      state: { log: ["a", "c", "mended"] },
      next: ["b"],
    });
    expect((await (await threads.start("t", null)).output()).log).toEqual(["a", "c", "mended", "b", "tail"]);
    expect(entered).toEqual(["a", "b", "c", "b", "tail"]);
    await engine.close();
  });

  test("as one of two that failed leaves the other to be run", async () => {
    const { engine, threads } = await opened(threesome({ b: 1, c: 1 }));
    await (await threads.start("t", {})).result();
    expect(await threads.update("t", { log: "B" }, { asNode: "b" })).toMatchObject({ next: ["c"] });
    expect((await (await threads.start("t", null)).output()).log).toEqual(["a", "B", "c", "tail"]);
    await engine.close();
  });
});

test("S05 what a second try came to stands for the third, though none made a checkpoint", async () => {
  const entered: string[] = [];
  const { engine, threads } = await opened(threesome({ b: 1, c: 2 }, entered));
  await (await threads.start("t", {})).result();
  await (await threads.start("t", null)).result();
  expect((await threads.state("t"))?.pending.map(({ node, wrote }) => [node, wrote])).toEqual([
    ["a", [{ log: "a" }]],
    ["b", [{ log: "b" }]],
    ["c", undefined],
  ]);
  expect((await (await threads.start("t", null)).output()).log).toEqual(["a", "b", "c", "tail"]);
  expect(entered).toEqual(["a", "b", "c", "b", "c", "c", "tail"]);
  await engine.close();
});

test("a thread that waits goes on with the run it has: what options would change is refused", async () => {
  const graph = stateGraph("asks", { state: { log: append<string>() }, nodes: ["a", "b"] })
    .node("a", (_state, to, run) => (run.answer("ok") === undefined ? to.interrupt("ok") : to.write({ log: "a" })), {
      asks: { ok: { answer: z.boolean() } },
    })
    .node("b", (_state, to) => to.write({ log: "b" }))
    .entry("a")
    .edge("a", "b")
    .compile({ pauseBefore: ["b"] });
  const { engine, threads } = await opened(graph);
  await (await threads.start("t", {}, { id: "r" })).result();
  await (await threads.answer("t", "ok", true)).result();
  await expect(threads.start("t", null, { limit: 3, labels: { user: "u" } })).rejects.toMatchObject({
    code: "InvalidOption",
    message: expect.stringContaining('thread "t" waits with run r, which limit, labels cannot change'),
  });
  expect(await (await threads.start("t", null)).output()).toEqual({ log: ["a", "b"] });
  await engine.close();
});
