/** Threads that are read with other schemas or reducers than those they were made with: what they came to is told, and nothing is made up. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  add,
  append,
  cell,
  graph,
  last,
  max,
  memory,
  merge,
  min,
  messagesById,
  openEngine,
  orderedBy,
  push,
  stateGraph,
  threadsOf,
  type Backend,
  type Engine,
  type Reducer,
  type StateGraph,
  type Threads,
} from "../../src/index.ts";
import { textsOf } from "../../src/build/reducer-texts.ts";
import { planOf } from "../../src/build/plan-of.ts";
import { TurnRequest } from "../../src/state-graph/turn.ts";

/** In an engine of its own. */
async function within<S, U, T>(
  backend: Backend,
  graph: StateGraph<S, U>,
  work: (threads: Threads<S, U>, engine: Engine) => Promise<T>,
): Promise<T> {
  await using engine = await openEngine({ backend, graphs: [graph], warn: () => undefined });
  return await work(threadsOf(engine, graph), engine);
}

const words = (least: number) =>
  stateGraph("words", { state: { word: z.string().min(least), log: append<string>() }, nodes: ["a"] })
    .node("a", ({ word = "" }, to) => to.write({ log: word }))
    .compile();

test("S09 turns that completed stay in the history when a schema becomes stricter", async () => {
  const store = memory();
  const before = await within(store, words(0), async (threads) => {
    for (const word of ["enough", "ab", "cd"]) await (await threads.start("t", { word })).output();
    return threads.history("t");
  });
  expect(before.map(({ seq }) => seq)).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0]);
  await within(store.another(), words(5), async (threads) => {
    expect(await threads.history("t")).toEqual(before);
    expect((await threads.state("t"))?.state).toEqual({ word: "cd", log: ["enough", "ab", "cd"] });
    await expect(threads.start("t", { word: "ef" })).rejects.toMatchObject({ code: "InvalidValue" });
  });
});

test("S17 a completed turn of an earlier version, whose input was not recorded as it was checked, is told and not left out", async () => {
  const store = memory();
  const graph = words(0);
  await within(store, graph, async (threads, engine) => {
    await (await threads.start("t", { word: "enough" }, { id: "r0" })).output();
    const asRecordedOnce = new TurnRequest({ input: { word: "ab" } }) as never;
    await (await engine.start(graph, asRecordedOnce, { thread: "t", id: "r1" })).output();
    expect((await threads.history("t")).length).toBe(6);
  });
  await within(store.another(), words(5), async (threads) => {
    const told = {
      code: "UnreadableCheckpoint",
      message: expect.stringMatching(/^run r1 of thread t did begin, .*word/),
    };
    await expect(threads.history("t")).rejects.toMatchObject(told);
    expect(await threads.state("t")).toMatchObject({ state: { log: ["enough", "ab"] }, unreadable: told });
  });
});

class Sums {
  fails = false;

  graph(reduce: Reducer<number, number>["reduce"]): StateGraph<{ readonly n: number }, { readonly n?: number }> {
    const n: Reducer<number, number> = { init: 1, reduce };
    return stateGraph("sums", { state: { n }, nodes: ["a", "b"] })
      .node("a", (_state, to) => to.write({ n: 5 }))
      .node("b", (_state, to) => {
        if (this.fails) throw new Error("no luck");
        return to.write({ n: 9 });
      })
      .edge("a", "b")
      .entry("a")
      .compile();
  }
}

const other = (runId: string): object => ({
  code: "UnreadableCheckpoint",
  message: expect.stringMatching(new RegExp(`^what run ${runId} of thread t recorded, folded by the reducers`)),
});

describe("reducers were changed, which no fingerprint tells", () => {
  test("S17 the checkpoints of a turn that completed are refused, and the thread stands where it stood", async () => {
    const store = memory();
    const sums = new Sums();
    await within(
      store,
      sums.graph((all, one) => all + one),
      async (threads) => {
        await (await threads.start("t", { n: 2 }, { id: "r0" })).output();
      },
    );
    await within(
      store.another(),
      sums.graph((all, one) => all * one),
      async (threads) => {
        await expect(threads.history("t")).rejects.toMatchObject(other("r0"));
        await expect(threads.update("t", { n: 2 })).rejects.toMatchObject(other("r0"));
        await expect(threads.start("t", { n: 2 }, { at: "r0:1" })).rejects.toMatchObject(other("r0"));
        expect(await threads.state("t")).toMatchObject({ state: { n: 17 }, status: "idle", unreadable: other("r0") });
        expect((await threads.update("t", { n: 2 }, { asNode: "b" })).state).toEqual({ n: 34 });
      },
    );
  });

  test("S17 nothing goes on from where a turn that failed would have come to; an input begins anew", async () => {
    const store = memory();
    const sums = new Sums();
    await within(
      store,
      sums.graph((all, one) => all + one),
      async (threads) => {
        await (await threads.start("t", { n: 2 }, { id: "r0" })).output();
        sums.fails = true;
        await (await threads.start("t", { n: 1 }, { id: "r1" })).result();
      },
    );
    sums.fails = false;
    await within(
      store.another(),
      sums.graph((all, one) => all * one),
      async (threads, engine) => {
        await expect(threads.start("t", null)).rejects.toMatchObject(other("r1"));
        await expect(threads.update("t", { n: 2 })).rejects.toMatchObject(other("r1"));
        expect(await threads.state("t")).toMatchObject({ state: { n: 17 }, status: "failed", unreadable: other("r1") });
        expect((await engine.list()).map(({ id }) => id)).toEqual(["r1", "r0"]);
        expect(await (await threads.start("t", { n: 2 })).output()).toEqual({ n: 17 * 2 * 5 * 9 });
      },
    );
  });

  test("with the same ones a turn that failed goes on", async () => {
    const store = memory();
    const sums = new Sums();
    sums.fails = true;
    const add: Reducer<number, number>["reduce"] = (all, one) => all + one;
    await within(store, sums.graph(add), async (threads) => (await threads.start("t", { n: 2 })).result());
    sums.fails = false;
    await within(store.another(), sums.graph(add), async (threads) => {
      expect(await (await threads.start("t", null)).output()).toEqual({ n: 17 });
    });
  });
});

type Add = (all: number, one: number) => number;

/** The same sum, written otherwise, as a bundler that minifies would. */
const written: Add = (all, one) => all + one;
const minified: Add = (a, b) => b + a;

let fails = false;
const unlucky = (): void => {
  if (fails) throw new Error("no luck");
};

type State = { readonly n: number };
type Update = { readonly n?: number };
type Summing = StateGraph<State, Update>;

function byField(reduce: Add, { graph: version = "", field = "" }: { graph?: string; field?: string }): Summing {
  return stateGraph("sums", { state: { n: { init: 1, reduce, version: field } }, nodes: ["a", "b"], version })
    .node("a", (_state, to) => to.write({ n: 5 }))
    .node("b", unlucky)
    .edge("a", "b")
    .entry("a")
    .compile();
}

function byMerge(merging: (state: State, update: Update) => State, version: string): Summing {
  return stateGraph("sums", { initial: { n: 1 }, merge: merging, nodes: ["a", "b"], version })
    .node("a", (_state, to) => to.write({ n: 5 }))
    .node("b", unlucky)
    .edge("a", "b")
    .entry("a")
    .compile();
}

function bySubgraph(enter: (state: State) => Update, leave: (state: State) => Update, version: string): Summing {
  const inner = stateGraph("inner", { state: { n: last(0) }, nodes: ["c"] })
    .node("c", () => undefined)
    .compile();
  return stateGraph("sums", { state: { n: last(1) }, nodes: ["a", "b"], version })
    .subgraph("a", inner, { enter, leave })
    .node("b", unlucky)
    .edge("a", "b")
    .entry("a")
    .compile();
}

/** Two of the same meaning and different text, which state a version. */
const pairs: readonly (readonly [what: string, n: number, pair: (version: string) => readonly [Summing, Summing]])[] = [
  ["a field", 8, (field) => [byField(written, { field }), byField(minified, { field })]],
  ["any field", 8, (graph) => [byField(written, { graph }), byField(minified, { graph })]],
  [
    "merge",
    8,
    (version) => [
      byMerge(({ n }, update) => ({ n: n + (update.n ?? 0) }), version),
      byMerge((s, u) => ({ n: s.n + (u.n ?? 0) }), version),
    ],
  ],
  [
    "the way into a subgraph",
    7,
    (version) => [
      bySubgraph(
        ({ n }) => ({ n }),
        ({ n }) => ({ n: n + 5 }),
        version,
      ),
      bySubgraph(
        (s) => ({ n: s.n }),
        ({ n }) => ({ n: n + 5 }),
        version,
      ),
    ],
  ],
];

async function failedTurn(store: Backend, graph: Summing): Promise<void> {
  fails = true;
  await within(store, graph, async (threads) => (await threads.start("t", { n: 2 }, { id: "r1" })).result());
  fails = false;
}

describe("a version is stated in place of the text of what folds", () => {
  test.each(pairs)(
    "S17 a turn that failed goes on with the same one, whatever the text of %s is",
    async (_what, n, pair) => {
      const store = memory();
      const [before, after] = pair("1");
      await failedTurn(store, before);
      await within(store.another(), after, async (threads) => {
        expect((await threads.history("t")).map(({ next }) => next)).toEqual([["b"], ["a"], ["$start"]]);
        expect(await (await threads.start("t", null)).output()).toEqual({ n });
      });
    },
  );

  test.each(pairs)("S17 without one the text of %s counts", async (_what, _n, pair) => {
    const store = memory();
    const [before, after] = pair("");
    await failedTurn(store, before);
    await within(store.another(), after, async (threads) => {
      await expect(threads.start("t", null)).rejects.toMatchObject(other("r1"));
    });
  });

  test.each([
    [{ graph: "1" }, { graph: "2" }, /of version "1", and this one is of version "2"/],
    [{ field: "1" }, { field: "2" }, /of version "1" of field n, and this one is of version "2" of field n/],
    [{}, { graph: "1", field: "2" }, /of version none, and this one is of version "1", "2" of field n/],
    [{ graph: "1" }, {}, /of version "1", and this one is of version none/],
  ] as const)(
    "S17 another one is refused with both, though the text is the same: %j and %j",
    async (before, after, message) => {
      const store = memory();
      await failedTurn(store, byField(written, before));
      await within(store.another(), byField(written, after), async (threads, engine) => {
        const refused = { code: "UnreadableCheckpoint", message: expect.stringMatching(message) };
        await expect(threads.start("t", null)).rejects.toMatchObject(refused);
        await expect(threads.history("t")).rejects.toMatchObject(refused);
        expect(await threads.state("t")).toMatchObject({ state: { n: 1 }, unreadable: refused });
        await expect(engine.fork("r1", { rerun: ["superstep/node/b/body"] })).rejects.toMatchObject({
          code: "FingerprintMismatch",
        });
        expect(await (await threads.start("t", { n: 2 })).output()).toEqual({ n: 8 });
      });
    },
  );

  test("of no text is refused where it is written", () => {
    const bad = { init: 0, reduce: written, version: 2 as never };
    expect(() => stateGraph("g", { state: { n: bad }, nodes: ["a"] })).toThrow(
      "version of field n of state graph g is not a string",
    );
    expect(() => stateGraph("g", { state: {}, nodes: ["a"], version: 2 as never })).toThrow(
      "version of state graph g is not a string",
    );
    expect(() => cell("n", bad)).toThrow("version of the reducer of cell n is not a string");
  });

  test("of a reducer is in the fingerprint of graphs whose cells are folded by it, and its text is not", () => {
    const fingerprint = (reduce: Add, version?: string): string => {
      const n = cell("n", { init: 0, reduce, ...(version !== undefined && { version }) });
      return planOf(graph("g", () => ({ done: push(n, 1) }))).fingerprint;
    };
    expect(fingerprint(written)).toBe(fingerprint(minified));
    expect(fingerprint(written)).toBe(fingerprint(written, ""));
    expect(fingerprint(written, "1")).toBe(fingerprint(minified, "1"));
    expect(new Set([fingerprint(written), fingerprint(written, "1"), fingerprint(written, "2")]).size).toBe(3);
  });
});

test("S17 reducers that come with Millrace are told by their names: a later build of it reads what this one left", () => {
  const key = (one: { readonly at: number }): number => one.at;
  const shipped = [append(), add(), min(), max(), merge(), last(0), messagesById()];
  expect(shipped.map((reducer) => textsOf(reducer as Reducer<unknown, unknown>))).toEqual(
    ["append", "add", "min", "max", "merge", "last", "messagesById"].map((name) => [name]),
  );
  expect(textsOf(orderedBy(key) as Reducer<unknown, unknown>)).toEqual(["orderedBy", String(key)]);
  const shouted: Reducer<string[], string> = { ...append<string>(), view: (list) => list.map((one) => one.trim()) };
  expect(textsOf(shouted as Reducer<unknown, unknown>).at(-1)).toBe("(list) => list.map((one) => one.trim())");
});
