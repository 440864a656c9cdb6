/** Threads whose runs are pruned, compacted, of another version, many, or made by engines whose clocks differ. */
import { describe, expect, test } from "vitest";
import {
  append,
  END,
  last,
  memory,
  openEngine,
  stateGraph,
  threadsOf,
  WrappedBackend,
  type Backend,
  type Checkpoint,
  type Engine,
  type EngineOptions,
  type JournalRow,
  type NewRun,
  type StateGraph,
  type Threads,
} from "../../src/index.ts";
import { planOf } from "../../src/build/plan-of.ts";
import { systemClock } from "../../src/ports/system.ts";

interface Log {
  readonly log: readonly string[];
}

/** Each turn adds what it is given and `a`. */
const line = stateGraph("line", { state: { log: append<string>() }, nodes: ["a"] })
  .node("a", (_state, to) => to.write({ log: "a" }))
  .compile();

type Lines = Threads<Log, { readonly log?: string }>;

async function opened(
  backend: Backend,
  graph: StateGraph<any, any> = line, // oxlint-disable-line typescript/no-explicit-any -- of any state
  options: EngineOptions = {},
): Promise<{ engine: Engine; threads: Lines }> {
  const engine = await openEngine({ backend, graphs: [graph], warn: () => undefined, ...options });
  return { engine, threads: threadsOf(engine, graph) as Lines };
}

async function turns(threads: Lines, count: number, from = 0): Promise<void> {
  for (let n = from; n < from + count; n++) await (await threads.start("t", { log: `${n}` }, { id: `r${n}` })).output();
}

const told = (all: readonly Checkpoint<Log>[]): unknown[] =>
  all.map(({ seq, step, runId, state }) => [seq, step, runId, state.log.join("")]);

/** Counts journals that are read, and lists. */
class Counted extends WrappedBackend {
  readonly read_: string[] = [];
  listed = 0;

  override read(runId: string, fromSeq?: number): AsyncIterable<JournalRow> {
    this.read_.push(runId);
    return super.read(runId, fromSeq);
  }

  override async list(filter?: Parameters<WrappedBackend["list"]>[0]): ReturnType<WrappedBackend["list"]> {
    const rows = await super.list(filter);
    this.listed += rows.length;
    return rows;
  }
}

describe("runs that are gone", () => {
  test("S09 what is left of a pruned thread is told as it was, and an update writes on what is there", async () => {
    const store = memory();
    const { engine, threads } = await opened(store);
    await turns(threads, 4);
    const before = await threads.history("t");
    const pruner = store.another();
    await pruner.open("pruner");
    await pruner.prune({ endedBefore: Number.MAX_SAFE_INTEGER, limit: 2, blobsBefore: 0 });
    expect((await engine.list()).map(({ id }) => id)).toEqual(["r3", "r2"]);
    const left = await threads.history("t");
    expect(told(left)).toEqual(told(before.slice(0, 6)));
    expect(left.map(({ gap, parent }) => [gap ?? false, parent])).toEqual([
      [false, "r3:1"],
      [false, "r3:0"],
      [false, "r2:2"],
      [false, "r2:1"],
      [false, "r2:0"],
      [true, null],
    ]);
    expect((await threads.update("t", { log: "U" }, { asNode: "a" })).state.log.join("")).toBe("0a1a2a3aU");
    await (await threads.start("t", { log: "4" })).output();
    expect((await threads.state("t"))?.state.log.join("")).toBe("0a1a2a3aU4a");
    await engine.close();
  });

  test("S09 a thread whose runs are all pruned goes on with what it carries", async () => {
    const store = memory();
    const { engine, threads } = await opened(store);
    await turns(threads, 2);
    const pruner = store.another();
    await pruner.open("pruner");
    await pruner.prune({ endedBefore: Number.MAX_SAFE_INTEGER, limit: 10, blobsBefore: 0 });
    expect([await threads.history("t"), await threads.state("t")]).toEqual([[], undefined]);
    const { runId } = await threads.update("t", { log: "U" }, { asNode: "a" });
    await turns(threads, 1, 2);
    expect(told(await threads.history("t"))).toEqual([
      [9, 8, "r2", "0a1aU2a"],
      [8, 7, "r2", "0a1aU2"],
      [7, 6, "r2", "0a1aU"],
      [6, 5, runId, "0a1aU"],
    ]);
    await engine.close();
  });

  test("a compacted run is passed over, and the checkpoint behind it says that there was something", async () => {
    const slow = stateGraph("line", { state: { log: append<string>() }, nodes: ["a"] })
      .node("a", async (_state, to) => to.write({ log: "a" }))
      .branch("a", ({ log }) => (log.length % 4 === 0 ? END : "a"))
      .compile();
    const { engine, threads } = await opened(memory(), slow, { snapshots: { after: 1, share: Infinity } });
    await turns(threads, 3);
    await engine.compact("r1");
    const all = await threads.history("t", { order: "oldest" });
    expect(all.map(({ id, gap = false, state }) => [id, gap, state.log.join("")])).toEqual([
      ["r0:0", false, ""],
      ["r0:1", false, "0"],
      ["r0:2", false, "0a"],
      ["r0:3", false, "0aa"],
      ["r0:4", false, "0aaa"],
      ["r2:0", true, "0aaa1aaa"],
      ["r2:1", false, "0aaa1aaa2"],
      ["r2:2", false, "0aaa1aaa2a"],
      ["r2:3", false, "0aaa1aaa2aa"],
      ["r2:4", false, "0aaa1aaa2aaa"],
    ]);
    const gone = { code: "UnreadableCheckpoint", message: expect.stringContaining("run r1 was compacted") };
    await expect(threads.start("t", null, { at: "r1:1" })).rejects.toMatchObject(gone);
    await engine.close();
  });
});

test("S14 a page of the history reads as many runs as it shows, and one more; a turn reads none and lists one", async () => {
  const backend = new Counted(memory());
  const { engine, threads } = await opened(backend);
  await turns(threads, 120);
  const count = async (work: () => Promise<unknown>): Promise<[number, number]> => {
    backend.read_.length = 0;
    backend.listed = 0;
    await work();
    return [new Set(backend.read_).size, backend.listed];
  };
  expect(await count(() => turns(threads, 1, 120))).toEqual([0, 1]);
  const [read] = await count(() => threads.history("t", { limit: 3 }));
  expect(read).toBeLessThanOrEqual(3);
  const page = await threads.history("t", { limit: 4, before: "r60:0" });
  expect(page.map(({ id }) => id)).toEqual(["r59:2", "r59:1", "r59:0", "r58:2"]);
  const [middle] = await count(() => threads.history("t", { limit: 4, before: "r60:0" }));
  expect(middle).toBeLessThanOrEqual(5);
  const oldest = await threads.history("t", { limit: 3, before: "r60:0", order: "oldest" });
  expect(oldest.map(({ id }) => id)).toEqual(["r60:1", "r60:2", "r61:0"]);
  const all = await threads.history("t", { limit: 1_000 });
  expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 363 }, (_, at) => 362 - at));
  expect((await threads.history("t", { limit: 1_000, order: "oldest" })).toReversed()).toEqual(all);
  await engine.close();
});

test("S14 who walks back through a thread folds what it carries once for many turns, and does not again for the next page", async () => {
  class Rows extends WrappedBackend {
    rows = 0;

    override async carried(...asked: Parameters<WrappedBackend["carried"]>): ReturnType<WrappedBackend["carried"]> {
      const rows = await super.carried(...asked);
      this.rows += rows.length;
      return rows;
    }
  }
  const backend = new Rows(memory());
  const { engine, threads } = await opened(backend);
  await turns(threads, 100);
  const count = async (work: () => Promise<readonly unknown[]>): Promise<[number, number]> => {
    backend.rows = 0;
    const { length } = await work();
    return [length, backend.rows];
  };
  const [all, folded] = await count(() => threads.history("t", { limit: 1_000 }));
  expect(all).toBe(300);
  expect(folded).toBeLessThan(1_000);
  await count(() => threads.history("t", { limit: 30 }));
  const [page, again] = await count(() => threads.history("t", { limit: 30, before: "r99:2" }));
  expect(page).toBe(30);
  expect(again).toBeLessThan(250);
  await engine.close();
});

test("a deleted thread that began anew with the same ids is not taken for what it was", async () => {
  const store = memory();
  const { engine, threads } = await opened(store);
  const rival = await opened(store.another());
  await turns(threads, 3);
  expect((await threads.history("t")).length).toBe(9);
  await rival.threads.delete("t");
  await turns(rival.threads, 2, 1);
  expect((await threads.history("t")).map(({ state }) => state.log.join(""))).toEqual([
    "1a2a",
    "1a2",
    "1a",
    "1a",
    "1",
    "",
  ]);
  await Promise.all([engine.close(), rival.engine.close()]);
});

test("S09 a thread goes on in its own order, whatever the clocks of its engines say", async () => {
  const store = memory();
  const now = await opened(store);
  await turns(now.threads, 1);
  await now.engine.close();
  const clock = { ...systemClock, now: () => systemClock.now() - 3_600_000 };
  const late = await opened(store.another(), line, { clock });
  await turns(late.threads, 2, 1);
  expect((await late.threads.history("t")).map(({ id }) => id)).toEqual([
    "r2:2",
    "r2:1",
    "r2:0",
    "r1:2",
    "r1:1",
    "r1:0",
    "r0:2",
    "r0:1",
    "r0:0",
  ]);
  expect((await late.threads.state("t"))?.state.log.join("")).toBe("0a1a2a");
  await late.engine.close();
});

/** Does something between the look at a thread and the run that was decided by it. */
class Rivalled extends WrappedBackend {
  rival: (() => Promise<unknown>) | null = null;

  override async create(run: NewRun): ReturnType<WrappedBackend["create"]> {
    const { rival } = this;
    this.rival = null;
    await rival?.();
    return super.create(run);
  }
}

describe("S15 a turn that comes and goes between the look at a thread and what is decided by it is not lost", () => {
  test("by an update without a node", async () => {
    const store = memory();
    const rival = await opened(store);
    const backend = new Rivalled(store.another());
    const { engine, threads } = await opened(backend);
    await turns(threads, 1);
    backend.rival = async () => (await rival.threads.start("t", { log: "rival" })).output();
    expect((await threads.update("t", { log: "U" })).state.log.join("")).toBe("0arivalaU");
    await Promise.all([engine.close(), rival.engine.close()]);
  });

  test("by a turn after a failure", async () => {
    let fails = true;
    const graph = stateGraph("line", { state: { log: append<string>() }, nodes: ["a"] })
      .node("a", (_state, to) => {
        if (fails) throw new Error("no luck");
        return to.write({ log: "a" });
      })
      .compile();
    const store = memory();
    const rival = await opened(store, graph);
    const backend = new Rivalled(store.another());
    const { engine, threads } = await opened(backend, graph);
    await (await threads.start("t", { log: "0" })).result();
    fails = false;
    backend.rival = async () => (await rival.threads.start("t", { log: "rival" })).output();
    expect((await (await threads.start("t", { log: "mine" })).output()).log.join("")).toBe("0rivalaminea");
    await Promise.all([engine.close(), rival.engine.close()]);
  });

  test("by an update that somebody is always faster than: it says so", async () => {
    const store = memory();
    const rival = await opened(store);
    const backend = new Rivalled(store.another());
    const { engine, threads } = await opened(backend);
    await turns(threads, 1);
    const again = async (): Promise<void> => {
      await (await rival.threads.start("t", { log: "r" })).output();
      backend.rival = again;
    };
    backend.rival = again;
    await expect(threads.update("t", { log: "U" })).rejects.toMatchObject({ code: "ThreadMoved" });
    expect((await threads.state("t"))?.state.log).not.toContain("U");
    await Promise.all([engine.close(), rival.engine.close()]);
  });
});

test("S14 an update of a thread at rest is stored as what it says, however long the thread is", async () => {
  const { engine, threads } = await opened(memory());
  await (await threads.start("t", { log: "x".repeat(50_000) })).output();
  for (const asNode of ["a", undefined]) {
    const { runId } = await threads.update("t", { log: "U" }, asNode === undefined ? {} : { asNode });
    expect((await engine.get(runId))?.journalBytes).toBeLessThan(2_000);
  }
  await engine.close();
});

const shapes = (build: (graph: ReturnType<typeof declared>) => unknown): string =>
  planOf((build(declared()) as { compile(): StateGraph<unknown, unknown> }).compile()).fingerprint;

function declared() {
  return stateGraph("shape", { state: { n: last(0) }, nodes: ["a", "b", "c"] })
    .node("a", () => [])
    .node("b", () => [])
    .node("c", () => []);
}

test("edges, joins, targets, defer, routed, breakpoints and fields are part of a graph's fingerprint", () => {
  const base = (g: ReturnType<typeof declared>) => g.entry("a").edge("a", "b").edge("b", "c");
  const others = [
    shapes((g) => g.entry("a").edge("a", "c").edge("c", "b")),
    shapes((g) => g.entry("a", "b").join(["a", "b"], "c")),
    shapes((g) => g.entry("a", "b").join(["a", "b"], "c", { sameStep: true })),
    shapes((g) => base(g).branch("c", () => END, [END])),
    shapes((g) => base(g).branch("c", () => END, [END, "a"])),
    planOf(base(declared()).compile({ pauseBefore: ["b"] })).fingerprint,
    planOf(base(declared()).compile({ pauseAfter: ["b"] })).fingerprint,
    ...[{}, { defer: true }].map(
      (options) =>
        planOf(
          stateGraph("shape", { state: { m: last(0) }, nodes: ["a"] })
            .node("a", () => [], options)
            .compile(),
        ).fingerprint,
    ),
  ];
  expect(new Set([shapes(base), ...others]).size).toBe(others.length + 1);
  expect(shapes(base)).toBe(shapes(base));
});

test("S17 a run of another version of the graph is not read with this one, and a thread at rest goes on all the same", async () => {
  const store = memory();
  const old = await opened(store);
  await turns(old.threads, 1);
  await old.engine.close();
  const changed = stateGraph("line", { state: { log: append<string>() }, nodes: ["a"] })
    .node("a", (_state, to) => to.write({ log: "A" }))
    .edge("a", END)
    .compile();
  const { engine, threads } = await opened(store.another(), changed);
  const refused = {
    code: "UnreadableCheckpoint",
    message: expect.stringMatching(/r0 of thread t .* line .*sha256:[0-9a-f]+, and not sha256:/),
  };
  await expect(threads.history("t")).rejects.toMatchObject(refused);
  expect(await threads.state("t")).toMatchObject({ state: { log: ["0", "a"] }, status: "idle", unreadable: refused });
  await threads.update("t", { log: "U" }, { asNode: "a" });
  await (await threads.start("t", { log: "1" }, { id: "r1" })).output();
  expect((await threads.history("t", { limit: 2 })).map(({ state }) => state.log.join(""))).toEqual(["0aU1A", "0aU1"]);
  await expect(threads.history("t")).rejects.toMatchObject(refused);
  await engine.close();
});

test("S17 records of a node that was not queued are not taken for those of another, though the fingerprint says nothing", async () => {
  const store = memory();
  const old = await opened(store);
  await turns(old.threads, 1);
  await old.engine.close();
  const changed = stateGraph("line", { state: { log: append<string>() }, nodes: ["b", "a"] })
    .node("b", (_state, to) => to.write({ log: "b" }))
    .node("a", (_state, to) => to.write({ log: "a" }))
    .entry("b")
    .edge("b", "a")
    .compile();
  class Forged extends WrappedBackend {
    override async list(...asked: Parameters<WrappedBackend["list"]>): ReturnType<WrappedBackend["list"]> {
      const { fingerprint } = planOf(changed);
      return (await super.list(...asked)).map((row) => ({ ...row, fingerprint }));
    }
  }
  const { engine, threads } = await opened(new Forged(store.another()), changed);
  await expect(threads.history("t")).rejects.toMatchObject({
    code: "UnreadableCheckpoint",
    message: expect.stringMatching(/run r0 of thread t is of node a where state graph line has queued b/),
  });
  await engine.close();
});

test("S17 an engine that does not have the graph is told so before anybody waits for an answer", async () => {
  await using engine = await openEngine({ backend: memory() });
  expect(() => threadsOf(engine, line)).toThrow(expect.objectContaining({ code: "GraphNotOpened" }));
});

test("an update says who made it, and its run has labels", async () => {
  const { engine, threads } = await opened(memory());
  const { by, runId, source } = await threads.update("t", { log: "U" }, { by: "ada", labels: { user: "u1" } });
  expect([by, source]).toEqual(["ada", "update"]);
  expect((await engine.list({ labels: { user: "u1" } })).map(({ id }) => id)).toEqual([runId]);
  await turns(threads, 1);
  const [, , , first] = await threads.history("t");
  expect([first?.id, first?.by]).toEqual([`${runId}:0`, "ada"]);
  await engine.close();
});

test("S10 a deleted thread begins anew, and one that waits is refused or cancelled", async () => {
  const { engine, threads } = await opened(memory());
  await turns(threads, 2);
  expect(await threads.delete("t")).toBe(2);
  expect([await threads.state("t"), await threads.history("t")]).toEqual([undefined, []]);
  await turns(threads, 1);
  expect((await threads.history("t")).map(({ seq, parent }) => [seq, parent])).toEqual([
    [2, "r0:1"],
    [1, "r0:0"],
    [0, null],
  ]);
  await engine.close();
});
