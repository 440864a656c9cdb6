/** What was refused is as if it had never been; what was checked is checked once. */
import { expect, test } from "vitest";
import { z } from "zod";
import {
  add,
  END,
  last,
  memory,
  openEngine,
  stateGraph,
  threadsOf,
  type Reducer,
  type UpdateOptions,
} from "../../src/index.ts";
import { gate } from "../acceptance/support/gate.ts";

const poison: { readonly n: Reducer<number, number> } = {
  n: {
    init: 0,
    reduce: (sum, more) => sum + more,
    view: (sum) => {
      if (sum > 5000) throw new Error("too much to be shown");
      return sum;
    },
  },
};

/** `gate.open`: the reducer refuses negative numbers. */
function counting(gate = { open: false }) {
  const ran: string[] = [];
  const n: Reducer<number, number> = {
    init: 0,
    reduce: (sum, more) => {
      if (more < 0 && !gate.open) throw new Error("negative");
      return sum + more;
    },
    view: (sum) => {
      if (sum > 5000) throw new Error("too much to be shown");
      return sum;
    },
  };
  const log: Reducer<unknown[], unknown> = { init: [], reduce: (all, one) => [...all, one] };
  const graph = stateGraph("till", { state: { n, log }, nodes: ["charge", "ask"] })
    .node("charge", (_state, to) => {
      ran.push("charge");
      return to.write({ n: 100 });
    })
    .node(
      "ask",
      (_state, to, run) => {
        const sure = run.answer("sure");
        return sure === undefined ? to.interrupt("sure") : to.write({ n: sure });
      },
      { asks: { sure: { answer: z.number() } } },
    )
    .entry("charge")
    .edge("charge", "ask")
    .compile();
  return { graph, ran, gate };
}

async function opened() {
  const made = counting();
  const engine = await openEngine({ backend: memory(), graphs: [made.graph], warn: () => undefined });
  return { ...made, engine, threads: threadsOf(engine, made.graph) };
}

const refusedUpdates: Readonly<Record<string, readonly [unknown, object, string]>> = {
  "one that cannot be encoded": [{ log: () => 1 }, {}, "Unencodable"],
  "one that its reducer refuses": [{ n: -1 }, {}, "ReducerThrew"],
  "one that could not be shown": [{ n: 9000 }, {}, "ReducerThrew"],
  "labels that are none": [{ n: 1 }, { labels: { user: 7 } }, "InvalidOption"],
  "a function as who writes": [{ n: 1 }, { by: () => "ada" }, "InvalidOption"],
  "a symbol as who writes": [{ n: 1 }, { by: Symbol("ada") }, "InvalidOption"],
  "a misspelt option": [{ n: 1 }, { as_node: "ask" }, "InvalidOption"],
};

test.each(Object.entries(refusedUpdates))(
  "S09 an update that is refused changes nothing, and what was asked stays open: %s",
  async (_what, [update, options, code]) => {
    const { engine, threads, ran } = await opened();
    await (await threads.start("t", { n: 1 })).result();
    const before = await threads.state("t");
    await expect(threads.update("t", update as { n: number }, options as UpdateOptions<"ask">)).rejects.toMatchObject({
      code,
    });
    expect(await threads.state("t")).toEqual(before);
    expect(before).toMatchObject({ status: "interrupted", pending: [{ node: "ask", asked: [{ question: "sure" }] }] });
    expect(await (await threads.answer("t", "sure", 5)).output()).toMatchObject({ n: 106 });
    expect(ran).toEqual(["charge"]);
    await engine.close();
  },
);

/** The rehearsal sees what the run does not. */
test("S09 an update that only its run could not fold is passed over: no body runs for it, and what stood before goes on", async () => {
  const { engine, threads, ran, gate, graph } = await opened();
  await (await threads.start("t", { n: 1 })).result();
  await (await threads.answer("t", "sure", 5)).output();
  const history = await threads.history("t");
  let folds = 0;
  Object.defineProperty(gate, "open", { get: () => ++folds === 1 });
  await expect(threads.update("t", { n: -1 }, { asNode: "charge" })).rejects.toThrow("negative");
  expect(folds).toBeGreaterThan(1);
  expect(await threads.history("t")).toEqual(history);
  await expect(threads.start("t", null)).rejects.toMatchObject({ code: "NothingToRun" });
  expect(ran).toEqual(["charge"]);
  expect((await engine.list({ thread: "t", graph: graph.name })).length).toBe(2);
  await (await threads.start("t", { n: 1 })).result();
  expect((await threads.state("t"))?.state.n).toBe(207);
  await engine.close();
});

test("S09 a failed update as the first of a thread leaves one that can be begun", async () => {
  const { engine, threads, gate } = await opened();
  let folds = 0;
  Object.defineProperty(gate, "open", { get: () => ++folds === 1 });
  await expect(threads.update("t", { n: -1 })).rejects.toThrow("negative");
  await expect(threads.start("t", null)).rejects.toMatchObject({ code: "NothingToRun" });
  await (await threads.start("t", { n: 1 })).result();
  expect((await threads.state("t"))?.state.n).toBe(101);
  await engine.close();
});

test("an input that its reducer refused is refused again without one, and leaves no run; another input goes on", async () => {
  const { engine, threads, ran } = await opened();
  expect((await (await threads.start("t", { n: -1 })).result()).status).toBe("failed");
  const history = await threads.history("t");
  expect(history).toMatchObject([{ source: "input", pending: [{ node: "$start", error: { code: "ReducerThrew" } }] }]);
  await expect(threads.start("t", null)).rejects.toMatchObject({ code: "ReducerThrew" });
  expect([(await engine.list({ thread: "t" })).length, await threads.history("t")]).toEqual([1, history]);
  await (await threads.start("t", { n: 1 })).result();
  expect([(await threads.state("t"))?.state.n, ran]).toEqual([101, ["charge"]]);
  await engine.close();
});

test("S08 a schema that changes what it is given does so once, whatever an input comes with, and its journal is read as it is", async () => {
  const graph = stateGraph("once", {
    state: {
      n: z.number().transform((n) => n + 1),
      s: z.string().transform((s) => s.length),
      d: z.coerce.date(),
    },
    nodes: ["a", "ask"],
  })
    .node("a", (_state, to) => to.write({ s: "four" }))
    .node("ask", (_state, to, run) => (run.answer("go") === undefined ? to.interrupt("go") : []), {
      asks: { go: { answer: z.boolean() } },
    })
    .entry("a")
    .edge("a", "ask")
    .compile();
  const store = memory();
  const first = await openEngine({ backend: store, graphs: [graph] });
  const threads = threadsOf(first, graph);
  await (await threads.start("t", { n: 1, s: "abc" })).result();
  expect((await threads.history("t")).map(({ state: { n, s } }) => [n, s])).toEqual([
    [2, 4],
    [2, 3],
    [undefined, undefined],
  ]);
  await first.close();
  const engine = await openEngine({ backend: store.another(), graphs: [graph] });
  const later = threadsOf(engine, graph);
  const once = { n: 2, s: 4 };
  expect(await (await later.answer("t", "go", true)).output()).toEqual(once);
  expect((await later.update("t", { s: "sixsix" })).state).toEqual({ n: 2, s: 6 });
  await (await later.start("t", { n: 5, s: "" }, { limit: 9 })).result();
  expect((await later.state("t"))?.state).toEqual({ n: 6, s: 4 });
  const [newest] = await later.history("t");
  await later.answer("t", "go", true);
  await (await later.start("t", { n: 7 }, { at: newest!.id })).result();
  expect((await later.state("t"))?.state).toEqual({ n: 8, s: 4 });
  expect(await (await engine.start(graph, { n: 1, s: "ab" })).result()).toMatchObject({ status: "interrupted" });
  await engine.close();
});

test("S15 updates that are made at once by one engine are all made, one after the other; a refused one holds nobody up", async () => {
  const { engine, threads, graph } = await opened();
  const again = threadsOf(engine, graph);
  const made = await Promise.allSettled(
    Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? threads : again).update("t", { n: at === 3 ? -1 : 1 })),
  );
  expect(
    made.flatMap((one, at) => (one.status === "rejected" ? [[at, (one.reason as { code: string }).code]] : [])),
  ).toEqual([[3, "ReducerThrew"]]);
  expect((await threads.state("t"))?.state.n).toBe(11);
  expect((await threads.history("t")).map(({ state }) => state.n)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  await engine.close();
});

test("S15 updates that are made at once by two engines are all made, in some order", async () => {
  const { graph } = counting();
  const backend = memory();
  const engines = await Promise.all(
    [backend, backend.another()].map((one) => openEngine({ backend: one, graphs: [graph], recover: false })),
  );
  const threads = engines.map((engine) => threadsOf(engine, graph));
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, at) => threads[at % 2]!.update("t", { n: 2 ** at }, { wait: "20s" })),
  );
  expect(new Set(made.map(({ id }) => id)).size).toBe(8);
  expect((await threads[0]!.state("t"))?.state.n).toBe(255);
  await Promise.all(engines.map((engine) => engine.close()));
});

test("S15 an update beside a turn waits for its end, as long as it is told to", async () => {
  const door = gate();
  const graph = stateGraph("slow", { state: { n: add() }, nodes: ["work"] })
    .node("work", async (_state, to) => {
      await door.opened;
      return to.write({ n: 1 });
    })
    .compile();
  const backend = memory();
  const engine = await openEngine({ backend, graphs: [graph] });
  const other = await openEngine({ backend: backend.another(), graphs: [graph], recover: false });
  const turn = await threadsOf(engine, graph).start("t", {});
  const there = threadsOf(other, graph);
  const busy = { code: "ThreadBusy" };
  await expect(there.update("t", { n: 10 }, { wait: 0 })).rejects.toMatchObject(busy);
  await expect(there.update("t", { n: 10 }, { wait: "30ms" })).rejects.toMatchObject(busy);
  await expect(there.update("t", { n: 10 }, { wait: "soon" as never })).rejects.toMatchObject({
    code: "InvalidDuration",
  });
  const updated = there.update("t", { n: 10 }, { wait: "20s" });
  door.open();
  expect((await updated).state).toEqual({ n: 11 });
  expect((await turn.result()).status).toBe("completed");
  await other.close();
  await engine.close();
});

test("S17 a state that a node left and that cannot be shown is mended by an update, before edges and before branches", async () => {
  const { n } = poison;
  for (const branches of [false, true]) {
    const nodes = stateGraph("poisoned", { state: { n, last: last("") }, nodes: ["spoil", "after"] })
      .node("spoil", (_state, to) => to.write({ n: 9000, last: "spoil" }))
      .node("after", (state, to) => to.write({ n: state.n, last: "after" }))
      .entry("spoil")
      .edge("after", END);
    const graph = branches ? nodes.branch("spoil", () => "after", ["after"]) : nodes.edge("spoil", "after");
    const compiled = graph.compile();
    const engine = await openEngine({ backend: memory(), graphs: [compiled], warn: () => undefined });
    const threads = threadsOf(engine, compiled);
    expect((await (await threads.start("t", {})).result()).status).toBe("failed");
    await expect(threads.update("t", { last: "nothing" })).rejects.toMatchObject({ code: "ReducerThrew" });
    expect((await threads.update("t", { n: -8500 })).state).toMatchObject({ n: 500 });
    expect(await (await threads.start("t", null)).output()).toEqual({ n: 1000, last: "after" });
    await engine.close();
  }
});

test("S17 a thread whose state cannot be shown says so with thread, node and field, and goes on with an input that mends it", async () => {
  const { engine, threads, gate } = await opened();
  expect((await (await threads.start("t", { n: 9000 })).result()).status).toBe("failed");
  const refused = {
    code: "ReducerThrew",
    message: expect.stringMatching(/thread "t".*\$start.*field n of .*too much/) as string,
  };
  await expect(threads.state("t")).rejects.toMatchObject(refused);
  await expect(threads.history("t")).rejects.toMatchObject(refused);
  gate.open = true;
  expect((await (await threads.start("t", { n: -8000 })).result()).status).toBe("interrupted");
  expect((await threads.state("t"))?.state.n).toBe(1100);
  await engine.close();
});
