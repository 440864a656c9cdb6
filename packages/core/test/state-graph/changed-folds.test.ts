/** Threads that are read with other schemas or reducers than those they were made with: what they came to is told, and nothing is made up. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  append,
  memory,
  openEngine,
  stateGraph,
  threadsOf,
  type Backend,
  type Engine,
  type Reducer,
  type StateGraph,
  type Threads,
} from "../../src/index.ts";
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
