// oxlint-disable typescript/no-explicit-any -- what types refuse is written too, as JavaScript would
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  append,
  END,
  graph,
  last,
  memory,
  openEngine,
  stateGraph,
  threadsOf,
  type Backend,
  type Ref,
  type Reducer,
} from "../../src/index.ts";

const sum: Reducer<number, number> = { init: 0, reduce: (all, one) => all + one };

/** In the order they were called for. */
function later(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

test("S02 updates fold in task order, whoever finished first", async () => {
  const race = stateGraph("race", { state: { log: append<string>() }, nodes: ["slow", "quick", "inline"] })
    .node("slow", async (_state, to) => {
      await later(20);
      return to.write({ log: "slow" });
    })
    .node("quick", async (_state, to) => to.write({ log: "quick" }))
    .node("inline", (_state, to) => to.write({ log: "inline" }))
    .entry("slow", "quick", "inline")
    .compile();
  await using engine = await openEngine();
  expect(await engine.run(race, {})).toEqual({ log: ["slow", "quick", "inline"] });
});

/** `a` is done one superstep before `c`. */
function joined(options: { readonly sameStep?: boolean }) {
  return stateGraph("joined", { state: { log: append<string>() }, nodes: ["a", "b", "c", "tail"] })
    .node("a", (_state, to) => to.write({ log: "a" }))
    .node("b", (_state, to) => to.write({ log: "b" }))
    .node("c", (_state, to) => to.write({ log: "c" }))
    .node("tail", (_state, to) => to.write({ log: "tail" }))
    .entry("a", "b")
    .edge("b", "c")
    .join(["a", "c"], "tail", options)
    .compile();
}

describe("S03", () => {
  test("a join of sources in different supersteps fires once", async () => {
    await using engine = await openEngine();
    expect(await engine.run(joined({}), {})).toEqual({ log: ["a", "b", "c", "tail"] });
  });

  test("sameStep waits until all run in one superstep, and says so when that never happens", async () => {
    await using engine = await openEngine();
    await expect(engine.run(joined({ sameStep: true }), {})).rejects.toThrow("tail still waits for");
    const both = stateGraph("both", { state: { log: append<string>() }, nodes: ["a", "b", "tail"] })
      .node("a", (_state, to) => to.write({ log: "a" }))
      .node("b", (_state, to) => to.write({ log: "b" }))
      .node("tail", (_state, to) => to.write({ log: "tail" }))
      .entry("a", "b")
      .join(["a", "b"], "tail", { sameStep: true })
      .compile();
    expect(await engine.run(both, {})).toEqual({ log: ["a", "b", "tail"] });
  });
});

test("S04 a join past which a branch went is told, with what is missing", async () => {
  const skipped = stateGraph("skipped", { state: { log: append<string>() }, nodes: ["pick", "a", "b", "tail"] })
    .node("pick", (_state, to) => to.write({ log: "pick" }))
    .node("a", (_state, to) => to.write({ log: "a" }))
    .node("b", (_state, to) => to.write({ log: "b" }))
    .node("tail", (_state, to) => to.write({ log: "tail" }))
    .entry("pick")
    .branch("pick", () => "a", ["a", "b"])
    .join(["a", "b"], "tail")
    .compile();
  await using engine = await openEngine();
  const result = await (await engine.start(skipped, {})).result();
  expect(result).toMatchObject({
    status: "failed",
    errors: [{ code: "JoinStarved", message: expect.stringContaining("tail still waits for b, though a has run") }],
  });
});

test("S05 a task that was recorded before a crash does not run again, although its superstep was lost", async () => {
  const backend = memory();
  const ran: string[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const two = stateGraph("two", { state: { log: append<string>() }, nodes: ["done", "hung", "tail"] })
    .node("done", (_state, to) => {
      ran.push("done");
      return to.write({ log: "done" });
    })
    .node("hung", async (_state, to) => {
      ran.push("hung");
      if (ran.filter((name) => name === "hung").length === 1) await held;
      return to.write({ log: "hung" });
    })
    .node("tail", (_state, to) => {
      ran.push("tail");
      return to.write({ log: "tail" });
    })
    .entry("done", "hung")
    .join(["done", "hung"], "tail")
    .compile();
  const first = await openEngine({ backend, graphs: [two], warn: () => undefined });
  const { runId } = await first.start(two, {});
  while (((await first.get(runId))?.finished["superstep/node/done/body"] ?? 0) === 0) await later(1);
  await first.close();
  release();
  await using second = await openEngine({ backend, graphs: [two], warn: () => undefined });
  const handle = second.recovered.find((one) => one.runId === runId) ?? (await second.resume(runId));
  expect(await handle.output()).toEqual({ log: ["done", "hung", "tail"] });
  expect(ran).toEqual(["done", "hung", "hung", "tail"]);
});

const Yes = z.object({ yes: z.boolean() });

/** Three that ask side by side, and one that does not. */
function asking(ran: string[]) {
  const ask = { asks: { ok: { answer: Yes } } };
  const body = (name: string) => (_state: unknown, to: any, run: any) => {
    ran.push(name);
    const ok = run.answer("ok");
    return ok === undefined ? to.interrupt("ok", { from: name }) : to.write({ log: `${name}:${ok.yes}` });
  };
  return stateGraph("asking", { state: { log: append<string>() }, nodes: ["a", "b", "c", "plain"] })
    .node("a", body("a"), ask)
    .node("b", body("b"), ask)
    .node("c", body("c"), ask)
    .node("plain", (_state, to) => {
      ran.push("plain");
      return to.write({ log: "plain" });
    })
    .entry("a", "b", "c", "plain")
    .compile();
}

test("S06 three questions side by side, answered in reverse, each get their own answer; only the askers run again", async () => {
  const ran: string[] = [];
  const graph = asking(ran);
  await using engine = await openEngine({ backend: memory(), graphs: [graph] });
  const handle = await engine.start(graph, {});
  await handle.result();
  const ids = new Map(
    handle.interrupts().map(({ id, payload }) => [(payload as { readonly from: string }).from, id] as const),
  );
  await handle.answer(ids.get("c")!, { yes: true });
  await handle.answer(ids.get("b")!, { yes: false });
  await handle.answer(ids.get("a")!, { yes: true });
  expect(await handle.output()).toEqual({ log: ["a:true", "b:false", "c:true", "plain"] });
  expect(ran.toSorted()).toEqual(["a", "a", "b", "b", "c", "c", "plain"]);
});

test("S06 what a task wrote before it asked stands, and the body is told", async () => {
  const seen: unknown[] = [];
  const graph = stateGraph("twice", { state: { log: append<string>() }, nodes: ["ask"] })
    .node(
      "ask",
      (_state, to, run) => {
        seen.push(run.recorded);
        if (run.answer("first") === undefined) return [to.write({ log: "began" }), to.interrupt("first")];
        if (run.answer("second") === undefined)
          return [to.write({ log: run.answer("first")! }), to.interrupt("second")];
        return to.write({ log: run.answers("second").join() });
      },
      { asks: { first: { answer: z.string() }, second: { answer: z.string() } } },
    )
    .compile();
  await using engine = await openEngine({ backend: memory(), graphs: [graph] });
  const threads = threadsOf(engine, graph);
  await (await threads.start("t", {})).result();
  await (await threads.answer("t", "first", "one")).result();
  expect(await (await threads.answer("t", "second", "two")).output()).toEqual({ log: ["began", "one", "two"] });
  expect(seen).toEqual([[], [{ log: "began" }], [{ log: "began" }, { log: "one" }]]);
});

test("S07 an endless cycle ends as StepLimit after 25 supersteps; the limit can be set, also for one turn", async () => {
  const cycle = (limit?: number) =>
    stateGraph("cycle", { state: { n: sum }, nodes: ["inc"] })
      .node("inc", (_state, to) => to.write({ n: 1 }))
      .branch("inc", ({ n }) => (n < 1000 ? "inc" : END))
      .compile(limit === undefined ? {} : { limit });
  const [plain, seven] = [cycle(), cycle(7)];
  await using engine = await openEngine({ backend: memory(), graphs: [plain] });
  const result = await (await engine.start(plain, {})).result();
  expect(result).toMatchObject({ status: "failed", errors: [{ code: "StepLimit" }] });
  const threads = threadsOf(engine, plain);
  await (await threads.start("t", {}, { limit: 3 })).result();
  expect((await threads.state("t"))?.state).toEqual({ n: 3 });
  expect(await (await threads.start("t", null, { limit: 2000 })).output()).toEqual({ n: 1000 });
  await using other = await openEngine({ backend: memory(), graphs: [seven] });
  const small = threadsOf(other, seven);
  await (await small.start("t", {})).result();
  expect((await small.state("t"))?.state).toEqual({ n: 7 });
});

describe("S08 compile refuses", () => {
  const state = { n: last(0) };
  const write = (_state: unknown, to: any) => to.write({ n: 1 });
  const refusals: readonly (readonly [string, string, () => unknown])[] = [
    ["NoNodes", "no nodes", () => stateGraph("g", { state, nodes: [] }).compile()],
    [
      "NodeMissing",
      "node b of",
      () => (stateGraph("g", { state, nodes: ["a", "b"] }).node("a", write) as any).entry("a").compile(),
    ],
    [
      "UndeclaredNode",
      "node b of",
      () => (stateGraph("g", { state, nodes: ["a"] }).node("a", write) as any).node("b", write).entry("a").compile(),
    ],
    [
      "DuplicateNode",
      "called a",
      () =>
        stateGraph("g", { state, nodes: ["a"] })
          .node("a", write)
          .node("a", write),
    ],
    [
      "NoEntry",
      "where it begins",
      () =>
        stateGraph("g", { state, nodes: ["a", "b"] })
          .node("a", write)
          .node("b", write)
          .edge("a", "b")
          .compile(),
    ],
    [
      "DanglingEdge",
      "names nobody",
      () => (stateGraph("g", { state, nodes: ["a"] }).node("a", write) as any).entry("nobody").compile(),
    ],
    [
      "DanglingEdge",
      "names nobody",
      () => (stateGraph("g", { state, nodes: ["a"] }).node("a", write) as any).edge("a", "nobody").compile(),
    ],
    [
      "UnreachableNode",
      "node b of",
      () =>
        stateGraph("g", { state, nodes: ["a", "b"] })
          .node("a", write)
          .node("b", write)
          .entry("a")
          .compile(),
    ],
    [
      "NoExit",
      "never ends",
      () =>
        stateGraph("g", { state, nodes: ["a", "b"] })
          .node("a", write)
          .node("b", write)
          .entry("a")
          .edge("a", "b")
          .edge("b", "a")
          .compile(),
    ],
    [
      "EmptyJoin",
      "before a",
      () =>
        stateGraph("g", { state, nodes: ["a"] })
          .node("a", write)
          .entry("a")
          .join([], "a")
          .compile(),
    ],
  ];
  test.each(refusals)("%s: %s", (code, says, build) => {
    expect(build).toThrow(expect.objectContaining({ code, message: expect.stringContaining(says) }) as Error);
  });

  test("neither a routed node nor one node without an entry", async () => {
    const routed = stateGraph("routed", { state, nodes: ["a", "b"] })
      .routed("a", ["b", END], (_state, to) => [to.write({ n: 1 }), to.goto("b")])
      .node("b", ({ n }, to) => to.write({ n: n + 10 }))
      .entry("a")
      .compile();
    const only = stateGraph("only", { state, nodes: ["a"] })
      .node("a", write)
      .compile();
    await using engine = await openEngine();
    expect(await engine.run(routed, {})).toEqual({ n: 11 });
    expect(await engine.run(only, {})).toEqual({ n: 1 });
  });
});

function letters(ran: string[] = []) {
  return stateGraph("letters", { state: { log: append<string>(), n: last(0) }, nodes: ["a", "b", "c"] })
    .node("a", (_state, to) => (ran.push("a"), to.write({ log: "a" })))
    .node("b", ({ n }, to) => (ran.push("b"), to.write({ log: `b${n}` })))
    .node("c", (_state, to) => (ran.push("c"), to.write({ log: "c" })))
    .entry("a")
    .edge("a", "b")
    .edge("b", "c")
    .compile();
}

test("S09 an update as a node of a finished thread: that node's successors run next", async () => {
  const ran: string[] = [];
  const graph = letters(ran);
  await using engine = await openEngine({ backend: memory(), graphs: [graph] });
  const threads = threadsOf(engine, graph);
  await (await threads.start("t", {})).result();
  const made = await threads.update("t", { n: 5 }, { asNode: "a" });
  expect(made).toMatchObject({ source: "update", next: ["b"], state: { n: 5 } });
  ran.length = 0;
  expect((await (await threads.start("t", null)).output()).log).toEqual(["a", "b0", "c", "b5", "c"]);
  expect(ran).toEqual(["b", "c"]);
});

test("S09 two forks of one checkpoint go on from there, and all histories stay right", async () => {
  const graph = letters();
  await using engine = await openEngine({ backend: memory(), graphs: [graph] });
  const threads = threadsOf(engine, graph);
  await (await threads.start("t", {})).result();
  const before = await threads.history("t", { order: "oldest" });
  const afterA = before.find(({ next }) => next[0] === "b")!;
  await threads.update("t", { n: 1 }, { at: afterA.id });
  await (await threads.start("t", null)).result();
  await threads.update("t", { n: 2 }, { at: afterA.id });
  await (await threads.start("t", null)).result();
  const history = await threads.history("t", { order: "oldest" });
  expect(history.slice(0, before.length).map(({ id, state }) => [id, state])).toEqual(
    before.map(({ id, state }) => [id, state]),
  );
  const logs = history.filter(({ next }) => next.length === 0).map(({ state }) => state.log.join());
  expect(logs).toEqual(["a,b0,c", "a,b1,c", "a,b2,c"]);
  const lineage = (id: string | null): (string | null)[] => {
    const one = history.find((checkpoint) => checkpoint.id === id);
    return one === undefined ? [] : [...lineage(one.parent), one.state.log.join()];
  };
  expect(lineage(history.at(-1)!.id)).toEqual(["", "", "a", "a", "a,b2", "a,b2,c"]);
});

test("S15 two turns at once on one thread: one runs, the other is refused, and no update is lost", async () => {
  const graph = letters();
  await using engine = await openEngine({ backend: memory(), graphs: [graph] });
  const threads = threadsOf(engine, graph);
  const both = await Promise.allSettled([threads.start("t", { n: 1 }), threads.start("t", { n: 2 })]);
  const started = both.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const refused = both.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  expect([started.length, refused.map(({ code }) => code)]).toEqual([1, ["ThreadBusy"]]);
  await started[0]!.result();
  expect((await threads.history("t")).length).toBe(5);
});

test("S15 two answers to one question: one counts, the other is told", async () => {
  const graph = asking([]);
  await using engine = await openEngine({ backend: memory(), graphs: [graph] });
  const handle = await engine.start(graph, {});
  await handle.result();
  const { id } = handle.interrupts()[0]!;
  const both = await Promise.allSettled([
    engine.answer(handle.runId, id, { yes: true }),
    engine.answer(handle.runId, id, { yes: false }),
  ]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

describe("S16", () => {
  test("one node, a counter and a log", async () => {
    const seed = stateGraph("seed", { state: { n: last(0), log: append<string>() }, nodes: ["inc"] })
      .node("inc", ({ n }, to) => to.write({ n: n + 1 }))
      .compile();
    await using engine = await openEngine();
    expect(await engine.run(seed, { n: 1, log: "seed" })).toEqual({ n: 2, log: ["seed"] });
  });

  test("a fan-out that totals 30", async () => {
    const total = stateGraph("total", { state: { items: last<number[]>([]), total: sum }, nodes: ["plan", "work"] })
      .routed("plan", ["work"], ({ items }, to) => items.map((n) => to.send("work", { n })))
      .node("work", async ({ n }: { n: number }, to) => to.write({ total: n * n }))
      .entry("plan")
      .compile();
    await using engine = await openEngine();
    expect(await engine.run(total, { items: [1, 2, 3, 4] })).toMatchObject({ total: 30 });
  });

  test("two turns on a thread: n = 2, and six checkpoints, oldest first, each naming its parent", async () => {
    const count = stateGraph("count", { state: { n: sum }, nodes: ["inc"] })
      .node("inc", (_state, to) => to.write({ n: 1 }))
      .compile();
    await using engine = await openEngine({ backend: memory(), graphs: [count] });
    const threads = threadsOf(engine, count);
    await (await threads.start("t", {})).result();
    expect(await (await threads.start("t", {})).output()).toEqual({ n: 2 });
    const history = await threads.history("t", { order: "oldest" });
    expect(history).toHaveLength(6);
    expect(history.map(({ parent }) => parent)).toEqual([null, ...history.slice(0, 5).map(({ id }) => id)]);
    expect(history.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("an approval that gives 7", async () => {
    const pay = stateGraph("pay", { state: { n: sum }, nodes: ["ask"] })
      .node(
        "ask",
        (_state, to, run) => {
          const n = run.answer("amount");
          return n === undefined ? to.interrupt("amount") : to.write({ n });
        },
        { asks: { amount: { answer: z.number() } } },
      )
      .compile();
    await using engine = await openEngine({ backend: memory(), graphs: [pay] });
    const threads = threadsOf(engine, pay);
    expect(await (await threads.start("t", {})).result()).toMatchObject({ status: "interrupted" });
    expect(await (await threads.answer("t", "amount", 7)).output()).toEqual({ n: 7 });
  });
});

describe("S17 each has its own code and names thread or node", () => {
  const graph = letters();
  const codes: readonly (readonly [string, string, (backend: Backend) => Promise<unknown>])[] = [
    ["NothingToRun", "letters", async (backend) => withThreads(backend, (threads) => threads.start("t", null))],
    ["NoSuchThread", "t", async (backend) => withThreads(backend, (threads) => threads.answer("t", "x", 1))],
    [
      "UnknownNode",
      "nobody",
      async (backend) => withThreads(backend, (threads) => threads.update("t", { n: 1 }, { asNode: "nobody" })),
    ],
    [
      "UnknownField",
      "misspelt",
      async (backend) => withThreads(backend, (threads) => threads.start("t", { misspelt: 1 })),
    ],
    [
      "NoSuchCheckpoint",
      "x:1",
      async (backend) => withThreads(backend, (threads) => threads.start("t", {}, { at: "x:1" })),
    ],
    [
      "NoSuchCheckpoint",
      "x:1",
      async (backend) => withThreads(backend, (threads) => threads.history("t", { before: "x:1" })),
    ],
  ];
  async function withThreads(
    backend: Backend,
    use: (threads: ReturnType<typeof threadsOf<any, any>>) => Promise<unknown>,
  ): Promise<unknown> {
    await using engine = await openEngine({ backend, graphs: [graph] });
    return await use(threadsOf<any, any>(engine, graph));
  }
  test.each(codes)("%s names %s", async (code, named, act) => {
    await expect(act(memory())).rejects.toMatchObject({ code, message: expect.stringContaining(named) });
  });
});

test("S20 run.cancel() in a node: its writes stand and the thread stops at the boundary", async () => {
  const stop = stateGraph("stop", { state: { log: append<string>() }, nodes: ["a", "beside", "b"] })
    .node("a", (_state, to, run) => {
      run.cancel();
      return to.write({ log: `a ${run.isCancelled}` });
    })
    .node("beside", async (_state, to) => {
      await later(5);
      return to.write({ log: "beside" });
    })
    .node("b", (_state, to) => to.write({ log: "b" }))
    .entry("a", "beside")
    .edge("a", "b")
    .compile();
  await using engine = await openEngine({ backend: memory(), graphs: [stop] });
  const threads = threadsOf(engine, stop);
  expect(await (await threads.start("t", {})).output()).toEqual({ log: ["a true", "beside"] });
  expect(await threads.state("t")).toMatchObject({ next: ["b"] });
  expect(await (await threads.start("t", null)).output()).toEqual({ log: ["a true", "beside", "b"] });
});

test("S22 an update without a node is made in the name of those whose superstep ended there: what follows them runs next", async () => {
  const ran: string[] = [];
  const graph = letters(ran);
  await using engine = await openEngine({ backend: memory(), graphs: [graph] });
  const threads = threadsOf(engine, graph);
  await (await threads.start("t", {})).result();
  const history = await threads.history("t", { order: "oldest" });
  const afterA = history.find(({ next }) => next[0] === "b")!;
  ran.length = 0;
  expect(await threads.update("t", { n: 9 }, { at: afterA.id })).toMatchObject({ next: ["b"], parent: afterA.id });
  expect((await (await threads.start("t", null)).output()).log).toEqual(["a", "b9", "c"]);
  expect(ran).toEqual(["b", "c"]);
});

test("a state graph is a node of a graph, and of each item of a stream", async () => {
  const double = stateGraph("double", { initial: 0, merge: (state, n: number) => state + n, nodes: ["again"] })
    .node("again", (n, to) => to.write(n))
    .compile();
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ twice: double(input.n as never) }));
  await using engine = await openEngine();
  expect(await engine.run(flow, { n: 21 })).toEqual({ twice: 42 });
});

test("a failed task is run again by the next turn without an input, and its finished sibling is not", async () => {
  const ran: string[] = [];
  const graph = stateGraph("flaky", { state: { log: append<string>() }, nodes: ["good", "bad", "tail"] })
    .node("good", (_state, to) => (ran.push("good"), to.write({ log: "good" })))
    .node("bad", (_state, to) => {
      ran.push("bad");
      if (ran.filter((name) => name === "bad").length === 1) throw new Error("boom");
      return to.write({ log: "bad" });
    })
    .node("tail", (_state, to) => to.write({ log: "tail" }))
    .entry("good", "bad")
    .join(["good", "bad"], "tail")
    .compile();
  await using engine = await openEngine({ backend: memory(), graphs: [graph], warn: () => undefined });
  const threads = threadsOf(engine, graph);
  expect(await (await threads.start("t", {})).result()).toMatchObject({ status: "failed" });
  expect(await threads.state("t")).toMatchObject({
    status: "failed",
    pending: [
      { node: "good", wrote: [{ log: "good" }] },
      { node: "bad", error: { message: "boom" } },
    ],
  });
  expect(await (await threads.start("t", null)).output()).toEqual({ log: ["good", "bad", "tail"] });
  expect(ran).toEqual(["good", "bad", "bad"]);
});

test("a node cannot change the state under its neighbours", async () => {
  const graph = stateGraph("frozen", { state: { list: append<number>() }, nodes: ["a"] })
    .node("a", ({ list }) => {
      list.push(1);
    })
    .compile();
  await using engine = await openEngine({ warn: () => undefined });
  await expect(engine.run(graph, { list: 0 })).rejects.toThrow("not extensible");
});

test("a branch that looked elsewhere is not asked again after a crash", async () => {
  let asked = 0;
  const graph = stateGraph("moody", { state: { log: append<string>() }, nodes: ["a", "b", "c"] })
    .node("a", (_state, to) => to.write({ log: "a" }))
    .node("b", (_state, to, run) => (run.answer("ok") === undefined ? to.interrupt("ok") : to.write({ log: "b" })), {
      asks: { ok: { answer: z.boolean() } },
    })
    .node("c", (_state, to) => to.write({ log: "c" }))
    .entry("a")
    .branch("a", async () => (asked++ === 0 ? "b" : "c"), ["b", "c"])
    .compile();
  const backend = memory();
  const first = await openEngine({ backend, graphs: [graph] });
  const { runId } = await first.start(graph, {}).then(async (handle) => (await handle.result(), handle));
  await first.close();
  await using second = await openEngine({ backend: backend.another(), graphs: [graph] });
  const { id } = (await second.get(runId))!.interrupts[0]!;
  expect(await (await second.answer(runId, id, true)).output()).toEqual({ log: ["a", "b"] });
  expect(asked).toBe(1);
});

test("two state graphs in one thread have a state each", async () => {
  const add = (name: string, n: number) =>
    stateGraph(name, { state: { n: sum }, nodes: ["add"] })
      .node("add", (_state, to) => to.write({ n }))
      .compile();
  const [ones, tens] = [add("ones", 1), add("tens", 10)];
  await using engine = await openEngine({ backend: memory(), graphs: [ones, tens] });
  const last = async (one: typeof ones) => (await threadsOf(engine, one).start("t", {})).output();
  expect([await last(ones), await last(tens), await last(ones), await last(tens)].map(({ n }) => n)).toEqual([
    1, 10, 2, 20,
  ]);
  expect((await threadsOf(engine, ones).history("t")).map(({ state }) => state.n)).toEqual([2, 1, 1, 1, 0, 0]);
});

test("R21 what a node puts into the store, a later run of another graph finds", async () => {
  const remember = stateGraph("remember", { state: { n: sum }, nodes: ["put"] })
    .node("put", async (_state, _to, run) => {
      await run.store.put(["facts"], "colour", "green");
    })
    .compile();
  const recall = stateGraph("recall", { state: { said: last("") }, nodes: ["get"] })
    .node("get", async (_state, to, run) => {
      const found = await run.store.get<string>(["facts"], "colour");
      return to.write({ said: found?.value ?? "nothing" });
    })
    .compile();
  await using engine = await openEngine({ backend: memory() });
  await engine.run(remember, {});
  expect(await engine.run(recall, {})).toEqual({ said: "green" });
});
