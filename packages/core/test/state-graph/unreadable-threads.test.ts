/** Threads whose newest turns cannot be read, or stand on what is gone: nothing is made up, and they go on. */
import { describe, expect, test } from "vitest";
import {
  append,
  END,
  memory,
  openEngine,
  stateGraph,
  threadsOf,
  WrappedBackend,
  type Backend,
  type Engine,
  type RunRow,
  type StateGraph,
  type Threads,
} from "../../src/index.ts";
import { Gate } from "./support/places.ts";

interface Log {
  readonly log: readonly string[];
}

type Logs = Threads<Log, { readonly log?: string }>;

const anything = { "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value }) } };

/** After `a` comes what the flags say. */
class Line {
  fails = false;
  asks = false;

  graph(...more: readonly "c"[]): StateGraph<Log, { readonly log?: string }> {
    const line = stateGraph("line", { state: { log: append<string>() }, nodes: ["a", "b", "c"] })
      .node("a", (_state, to) => to.write({ log: "a" }))
      .routed(
        "b",
        ["c"],
        (_state, to, run) => {
          if (this.fails) throw new Error("no luck");
          if (!this.asks) return to.write({ log: "b" });
          const answer = run.answer("q");
          return answer === undefined ? to.interrupt("q", 1) : to.write({ log: String(answer) });
        },
        { asks: { q: { answer: anything } } },
      )
      .node("c", (_state, to) => to.write({ log: "c" }))
      .entry("a")
      .edge("a", "b");
    return (more.length > 0 ? line.edge("b", "c") : line.edge("b", END)).compile();
  }
}

async function opened(
  backend: Backend,
  graph: StateGraph<Log, { readonly log?: string }>,
): Promise<{ engine: Engine; threads: Logs }> {
  const snapshots = { after: 1, share: Infinity };
  const engine = await openEngine({ backend, graphs: [graph], warn: () => undefined, snapshots });
  return { engine, threads: threadsOf(engine, graph) };
}

async function turn(threads: Logs, log: string | null, id: string): Promise<void> {
  await (await threads.start("t", log === null ? null : { log }, { id })).result();
}

const compacted = (runId: string): object => ({
  code: "UnreadableCheckpoint",
  message: expect.stringContaining(`run ${runId} was compacted`),
});

describe("the newest turn was compacted", () => {
  test("one that failed is refused, and an engine begins anew with what the last that completed left", async () => {
    const line = new Line();
    const graph = line.graph();
    const { engine, threads } = await opened(memory(), graph);
    await turn(threads, "0", "r0");
    line.fails = true;
    await turn(threads, "1", "r1");
    await engine.compact("r1");
    line.fails = false;
    const gone = compacted("r1");
    await expect(threads.state("t")).rejects.toMatchObject(gone);
    await expect(threads.start("t", null)).rejects.toMatchObject(gone);
    await expect(threads.start("t", { log: "2" })).rejects.toMatchObject(gone);
    await expect(threads.update("t", { log: "U" })).rejects.toMatchObject(gone);
    await expect(threads.update("t", { log: "U" }, { asNode: "a" })).rejects.toMatchObject(gone);
    await expect(threads.start("t", null, { at: "r1:0" })).rejects.toMatchObject(gone);
    expect((await engine.list()).map(({ id }) => id)).toEqual(["r1", "r0"]);
    expect(await engine.run(graph, { log: "2" }, { thread: "t" })).toEqual({ log: ["0", "a", "b", "2", "a", "b"] });
    await engine.close();
  });

  test("one that asks is refused, and its question stays open", async () => {
    const line = new Line();
    const { engine, threads } = await opened(memory(), line.graph());
    await turn(threads, "0", "r0");
    line.asks = true;
    await turn(threads, "1", "r1");
    await engine.compact("r1");
    const gone = compacted("r1");
    await expect(threads.state("t")).rejects.toMatchObject(gone);
    await expect(threads.update("t", { log: "U" })).rejects.toMatchObject(gone);
    await expect(threads.update("t", { log: "U" }, { at: "r0:0" })).rejects.toMatchObject(gone);
    expect((await engine.get("r1"))?.status).toBe("interrupted");
    expect((await (await threads.answer("t", "q", "A")).output()).log).toEqual(["0", "a", "b", "1", "a", "A"]);
    await engine.close();
  });

  test("of one that completed the state is what the thread carries, and an update names whom it is made for", async () => {
    const { engine, threads } = await opened(memory(), new Line().graph());
    await turn(threads, "0", "r0");
    await turn(threads, "1", "r1");
    const { seq, step, state } = (await threads.state("t"))!;
    await engine.compact("r1");
    expect(await threads.state("t")).toMatchObject({
      seq,
      step,
      state,
      status: "idle",
      runId: "r1",
      next: [],
      parent: null,
      gap: true,
      unreadable: compacted("r1"),
    });
    await expect(threads.update("t", { log: "U" })).rejects.toMatchObject(compacted("r1"));
    const { next, parent, gap } = await threads.update("t", { log: "U" }, { asNode: "a" });
    expect([next, parent, gap]).toEqual([["b"], null, true]);
    expect((await (await threads.start("t", null)).output()).log.slice(3)).toEqual(["1", "a", "b", "U", "b"]);
    await engine.close();
  });
});

describe("the newest turn is of another version of the graph", () => {
  test("after one that failed an input begins anew with what is carried, and the state says so", async () => {
    const line = new Line();
    const store = memory();
    const old = await opened(store, line.graph());
    await turn(old.threads, "0", "r0");
    line.fails = true;
    await turn(old.threads, "1", "r1");
    await old.engine.close();
    line.fails = false;
    const { engine, threads } = await opened(store.another(), line.graph("c"));
    const other = { code: "UnreadableCheckpoint", hint: expect.stringContaining("start(thread, input) begins anew") };
    const state = await threads.state("t");
    expect(state).toMatchObject({ runId: "r1", status: "failed", state: { log: ["0", "a", "b"] }, unreadable: other });
    expect(state?.errors.map(({ message }) => message)).toEqual(["no luck"]);
    await expect(threads.history("t")).rejects.toMatchObject(other);
    await expect(threads.start("t", null)).rejects.toMatchObject(other);
    await expect(threads.update("t", { log: "U" })).rejects.toMatchObject(other);
    const output = async (log: string, limit?: number): Promise<readonly string[]> =>
      (await (await threads.start("t", { log }, limit === undefined ? {} : { limit })).output()).log;
    expect(await output("2", 9)).toEqual(["0", "a", "b", "2", "a", "b", "c"]);
    expect((await threads.state("t"))?.unreadable).toBeUndefined();
    expect((await output("3")).slice(7)).toEqual(["3", "a", "b", "c"]);
    await engine.close();
  });
});

/** Runs as if they had never been, but for what they carried. */
class Pruned extends WrappedBackend {
  readonly gone: Set<string> = new Set();

  override async list(...asked: Parameters<WrappedBackend["list"]>): ReturnType<WrappedBackend["list"]> {
    return (await super.list(...asked)).filter(({ id }) => !this.gone.has(id));
  }

  override async get(id: string): Promise<RunRow | undefined> {
    return this.gone.has(id) ? undefined : super.get(id);
  }
}

describe("what a turn goes on from was pruned", () => {
  test("failed turns, in the middle and the oldest: no parent is named that is not there", async () => {
    const line = new Line();
    const backend = new Pruned(memory());
    const { engine, threads } = await opened(backend, line.graph());
    line.fails = true;
    await turn(threads, "0", "r0");
    await turn(threads, "1", "r1");
    line.fails = false;
    await turn(threads, "2", "r2");
    line.fails = true;
    await turn(threads, "3", "r3");
    line.fails = false;
    await turn(threads, null, "r4");
    const firsts = async (): Promise<unknown> => {
      const all = await threads.history("t", { order: "oldest" });
      const runs = [...new Set(all.map(({ runId }) => runId))];
      return runs.map((id) => {
        const { parent, gap } = all.find(({ runId }) => runId === id)!;
        return [id, parent, gap ?? false];
      });
    };
    expect(await firsts()).toEqual([
      ["r0", null, false],
      ["r1", "r0:2", false],
      ["r2", "r1:2", false],
      ["r3", "r2:3", false],
      ["r4", "r3:2", false],
    ]);
    backend.gone.add("r3").add("r0");
    expect(await firsts()).toEqual([
      ["r1", null, true],
      ["r2", "r1:2", false],
      ["r4", null, true],
    ]);
    backend.gone.add("r1");
    expect(await firsts()).toEqual([
      ["r2", null, true],
      ["r4", null, true],
    ]);
    await engine.close();
  });
});

test("a thread is deleted though its run ends by itself while it is cancelled", async () => {
  const gate = new Gate();
  const graph = stateGraph("line", { state: { log: append<string>() }, nodes: ["a"] })
    .node("a", async (_state, to) => {
      await gate.opened;
      return to.write({ log: "a" });
    })
    .compile();
  class Late extends WrappedBackend {
    ended: (() => Promise<unknown>) | null = null;

    override async list(...asked: Parameters<WrappedBackend["list"]>): ReturnType<WrappedBackend["list"]> {
      const rows = await super.list(...asked);
      await this.ended?.();
      return rows;
    }
  }
  const store = memory();
  const { engine, threads } = await opened(store, graph);
  const backend = new Late(store.another());
  const other = await opened(backend, graph);
  const handle = await threads.start("t", { log: "0" });
  backend.ended = async () => {
    backend.ended = null;
    gate.open();
    await handle.output();
  };
  expect(await other.threads.delete("t", { cancel: true })).toBe(1);
  expect(await threads.state("t")).toBeUndefined();
  await Promise.all([engine.close(), other.engine.close()]);
});

test("behind an interrupted that was not answered there is no event", async () => {
  const line = new Line();
  line.asks = true;
  const { engine, threads } = await opened(memory(), line.graph());
  const handle = await threads.start("t", { log: "0" });
  const all = [];
  for await (const event of await threads.events(handle)) all.push(event);
  expect(all.at(-1)?.event).toBe("interrupted");
  const rest = [];
  for await (const event of await threads.events(handle, { after: all.at(-1)! })) rest.push(event.event);
  expect(rest).toEqual([]);
  await threads.answer("t", "q", "A");
  for await (const event of await threads.events(handle, { after: all.at(-1)! })) rest.push(event.event);
  expect([rest[0], rest.at(-1)]).toEqual(["answered", "ended"]);
  await engine.close();
});
