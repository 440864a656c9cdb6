import { expect, test } from "vitest";
import { z } from "zod";
import {
  collect,
  each,
  emit,
  graph,
  ingress,
  interrupt,
  memory,
  op,
  openEngine,
  type Append,
  type Ref,
} from "../../src/index.ts";
import { WrappedBackend } from "../../src/backends/wrapped.ts";
import type { Backend } from "../../src/ports/backend.ts";
import { open } from "./support/engines.ts";
import { forever, gate } from "./support/gate.ts";
import { recordingOf, rowsOf } from "./support/journal.ts";

class Counting extends WrappedBackend {
  appends: Append[] = [];
  creates = 0;

  override create(run: Parameters<Backend["create"]>[0]): ReturnType<Backend["create"]> {
    this.creates++;
    return this.inner.create(run);
  }

  override append(append: Append): ReturnType<Backend["append"]> {
    this.appends.push(append);
    return this.inner.append(append);
  }
}

const ran: string[] = [];
const step = op("step", async ({ n }: { n: number }, { path }) => {
  ran.push(path);
  return { n: n + 1 };
});
const last = op("last", ({ all }: { all: number[] }) => ({ sum: all.reduce((a, b) => a + b, 0) }));
const wide = graph("wide", (input: Ref<{ xs: number[] }>) => ({
  sum: last({ all: collect(step({ n: each(input.xs) }, { parallel: 3 }).n) }).sum,
}));
const xs = [1, 2, 3, 4, 5];

test("P3.8c a run is written twice: its start before start resolves, and all the rest at once when it has ended", async () => {
  const backend = new Counting(memory());
  const engine = await open({ backend, durability: "exit" });
  const handle = await engine.start(wide, { xs }, { id: "run" });
  expect(backend.creates).toBe(1);
  expect(await handle.output()).toEqual({ sum: 20 });
  expect(backend.appends).toHaveLength(1);
  expect(backend.appends[0]).toMatchObject({ status: "completed", release: true, row: { firstSeq: 2 } });
  expect(await engine.get("run")).toMatchObject({ status: "completed", output: { sum: 20 }, finished: { step: 5 } });
});

test("P3.8c so is one that fails, is cancelled, or drains; effects and later steps wait for nothing", async () => {
  for (const what of ["fail", "cancel", "drain"] as const) {
    const door = gate();
    const reached = gate();
    const slow = op("slow", async ({ n }: { n: number }) => {
      reached.open();
      await door.opened;
      if (what === "fail") throw new Error("broken");
      return { n };
    });
    const flow = graph("flow", (input: Ref<{ n: number }>) => ({
      n: step({ n: slow({ n: step({ n: input.n }).n }).n }, { name: "after" }).n,
    }));
    const backend = new Counting(memory());
    const engine = await open({ backend, durability: "exit" });
    const handle = await engine.start(flow, { n: 1 }, { id: what });
    await reached.opened;
    expect(backend.appends).toEqual([]);
    const asked = { fail: () => handle.result(), cancel: () => handle.cancel("enough"), drain: () => handle.drain() }[
      what
    ]();
    door.open();
    const { status } = await asked;
    expect(status).toBe({ fail: "failed", cancel: "cancelled", drain: "drained" }[what]);
    expect(backend.appends.map((append) => append.status)).toEqual([status]);
  }
});

test("P3.8c R11 a crash loses the work and nothing else: the run begins again from its start, whichever durability goes on with it", async () => {
  for (const durability of ["exit", "sync"] as const) {
    ran.length = 0;
    const reached = gate();
    let hangs = true;
    const hanging = op("hanging", async ({ n }: { n: number }) => {
      reached.open();
      if (hangs) await forever();
      return { n };
    });
    const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: hanging({ n: step({ n: input.n }).n }).n }));
    const backend = memory();
    const dying = await openEngine({ backend, durability: "exit", warn: () => undefined });
    (await dying.start(flow, { n: 1 }, { id: "run" })).result().catch(() => undefined);
    await reached.opened;
    await backend.abandon();
    hangs = false;
    const store = new Counting(backend.another());
    const next = await open({ backend: store, durability, graphs: [flow] });
    expect(await next.recovered[0]?.output()).toEqual({ n: 2 });
    expect(ran).toEqual(["flow/step", "flow/step"]);
  }
});

test("P3.8c a crash loop of a run that loses its work is the run's, which is quarantined, and no op is blamed for it", async () => {
  let store = memory();
  const reached = { at: gate() };
  const deadly = op("deadly", async ({ n }: { n: number }) => {
    reached.at.open();
    await forever();
    return { n };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: deadly({ n: step({ n: input.n }).n }).n }));
  let now = 1_700_000_000_000;
  for (let life = 0; life < 4; life++) {
    reached.at = gate();
    const clock = {
      now: () => now,
      monotonic: () => performance.now(),
      timer: () => () => undefined,
      defer: setImmediate,
    };
    const engine = await openEngine({
      backend: store,
      durability: "exit",
      graphs: [flow],
      clock,
      warn: () => undefined,
    });
    if (life === 0) (await engine.start(flow, { n: 1 }, { id: "run" })).result().catch(() => undefined);
    await reached.at.opened;
    await store.abandon();
    store = store.another();
    now += 400_000;
  }
  const engine = await open({ backend: store });
  expect(await engine.get("run")).toMatchObject({ failed: {}, errors: [] });
  for await (const entry of engine.history("run")) expect(entry.kind).toBeOneOf(["started", "resumed"]);
});

const asking = graph("asking", (input: Ref<{ n: number }>) => {
  const first = step({ n: input.n });
  const said = interrupt("ask", { n: first.n }, { answer: z.object({ n: z.number() }) });
  return { n: step({ n: said.n }, { name: "after" }).n };
});

test("P3.8c P3.2 it parks in one commit with its question, which anybody answers, and goes on from there after a crash", async () => {
  const backend = memory();
  const counting = new Counting(backend);
  const engine = await open({ backend: counting, durability: "exit", graphs: [asking] });
  const handle = await engine.start(asking, { n: 1 }, { id: "run" });
  expect((await handle.result()).status).toBe("interrupted");
  expect(counting.appends.map(({ status }) => status)).toEqual(["interrupted"]);
  await engine.close();
  const other = await open({ backend: backend.another(), durability: "exit", graphs: [asking] });
  const answered = await other.answer("run", "ask", { n: 7 }, { by: "ann" });
  expect(await answered.output()).toEqual({ n: 8 });
  expect(await other.get("run")).toMatchObject({ status: "completed", answered: [{ by: "ann" }] });
});

test("P3.8c K9 what was answered is durable when answer resolves, with all that was before it, though the run goes on", async () => {
  let hangs = true;
  const slow = op("slow", async ({ n }: { n: number }) => {
    if (hangs) await forever();
    return { n };
  });
  const both = graph("both", (input: Ref<{ n: number }>) => ({
    a: asking({ n: input.n }).n,
    b: slow({ n: input.n }).n,
  }));
  const backend = memory();
  const counting = new Counting(backend);
  const dying = await openEngine({ backend: counting, durability: "exit", graphs: [both], warn: () => undefined });
  const handle = await dying.start(both, { n: 1 }, { id: "run" });
  handle.result().catch(() => undefined);
  await expect.poll(() => handle.interrupts().length).toBe(1);
  await handle.answer("both/asking/ask", { n: 7 });
  // The question, so that its answer can be left in the inbox; and the answer.
  expect(counting.appends).toHaveLength(2);
  await backend.abandon();
  hangs = false;
  const next = await open({ backend: backend.another(), durability: "exit", graphs: [both] });
  expect(await next.recovered[0]?.output()).toEqual({ a: 8, b: 1 });
});

test("P3.8c a cancel that another process left is taken up by whoever goes on, and by the owner", async () => {
  const backend = memory();
  const reached = gate();
  const hanging = op("hanging", async ({ n }: { n: number }) => {
    reached.open();
    await forever();
    return { n };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: hanging({ n: input.n }).n }));
  const owner = await open({ backend, durability: "exit", graphs: [flow], poll: 5 });
  const handle = await owner.start(flow, { n: 1 }, { id: "run" });
  await reached.opened;
  const other = await open({ backend: backend.another() });
  expect(await other.cancel("run", "enough")).toMatchObject({ status: "cancelled", reason: "enough" });
  expect((await handle.result()).status).toBe("cancelled");
});

test("P3.8c a reader is shown emissions when they are durable: in order, once, when the run rests", async () => {
  const told = graph("told", (input: Ref<{ xs: number[] }>) => {
    const n = step({ n: each(input.xs) }).n;
    emit("heard", n);
    return { all: collect(n) };
  });
  const engine = await open({ backend: memory(), durability: "exit" });
  const handle = await engine.start(told, { xs });
  const heard: unknown[] = [];
  for await (const { value } of handle.stream("custom")) heard.push(value);
  expect(heard).toEqual([2, 3, 4, 5, 6]);
});

test("P3.8c H25 large values are stored before the row that names them, and are there although they were stored long ago", async () => {
  const big = op("big", async ({ k }: { k: number }) => ({ text: String(k).padEnd(100_000, "x") }));
  const size = op("size", ({ text }: { text: string }) => ({ length: text.length }));
  const flow = graph("flow", (input: Ref<{ xs: number[] }>) => ({
    all: collect(size({ text: big({ k: each(input.xs) }, { parallel: 50 }).text }).length),
  }));
  let now = 1_700_000_000_000;
  const store = memory();
  const order: string[] = [];
  class Watching extends Counting {
    override async putBlob(hash: string, bytes: Uint8Array): Promise<void> {
      await this.inner.putBlob(hash, bytes);
      order.push(hash);
      now += 400_000;
    }
    override append(append: Append): ReturnType<Backend["append"]> {
      for (const hash of append.blobs ?? []) if (!order.includes(hash)) order.push("dangling");
      return super.append(append);
    }
  }
  const backend = new Watching(store);
  const clock = {
    now: () => now,
    monotonic: () => performance.now(),
    timer: () => () => undefined,
    defer: setImmediate,
  };
  const engine = await open({ backend, durability: "exit", clock });
  const many = Array.from({ length: 120 }, (_, i) => i);
  expect(await engine.run(flow, { xs: many }, { id: "run" })).toEqual({ all: many.map(() => 100_000) });
  expect(backend.appends).toHaveLength(1);
  expect(order).not.toContain("dangling");
  // Those that could be taken for orphans were stored again.
  expect(order.length).toBeGreaterThan(200);
  expect(new Set(order).size).toBe(120);
});

test("P3.8c H25 a large value that cannot be stored is told at once: nothing waits for it for ever", async () => {
  const big = op("big", async ({ k }: { k: number }) => ({ text: String(k).padEnd(1_000_000, "x") }));
  const size = op("size", ({ text }: { text: string }) => ({ length: text.length }));
  const flow = graph("flow", (input: Ref<{ xs: number[] }>) => ({
    all: collect(size({ text: big({ k: each(input.xs) }, { parallel: 2 }).text }).length),
  }));
  class Full extends Counting {
    override putBlob(): Promise<void> {
      return Promise.reject(new Error("the disk is full"));
    }
  }
  const backend = new Full(memory());
  const engine = await open({ backend, durability: "exit" });
  const handle = await engine.start(flow, { xs: Array.from({ length: 40 }, (_, i) => i) });
  await expect(handle.result()).rejects.toThrow("the disk is full");
  expect(backend.appends).toEqual([]);
});

test("P3.8c H25 a large value that was pruned before its row was written is a crash: nothing is written over it, and the run begins again", async () => {
  let now = 1_700_000_000_000;
  let prunes = true;
  const store = memory();
  const big = op("big", async ({ n }: { n: number }) => ({ text: String(n).padEnd(100_000, "x") }));
  const size = op("size", async ({ text }: { text: string }) => {
    now += 7_200_000;
    if (prunes) await store.prune({ endedBefore: 0, limit: 1, blobsBefore: Infinity });
    return { length: text.length };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    length: size({ text: big({ n: input.n }).text }).length,
  }));
  const clock = {
    now: () => now,
    monotonic: () => performance.now(),
    timer: () => () => undefined,
    defer: setImmediate,
  };
  const backend = new Counting(store);
  const engine = await open({ backend, durability: "exit", clock });
  const handle = await engine.start(flow, { n: 1 }, { id: "run" });
  await expect(handle.result()).rejects.toMatchObject({ code: "JournalCorrupt" });
  expect(backend.appends).toEqual([]);
  await engine.close();
  prunes = false;
  const next = await open({ backend: store.another(), durability: "exit", graphs: [flow] });
  expect(await next.recovered[0]?.output()).toEqual({ length: 100_000 });
});

test.each(["sync", "async", "exit"] as const)(
  "H25 J4 no row names a value that is not stored, whenever it comes while others are on their way: %s",
  async (durability) => {
    for (let turns = 0; turns < 12; turns++) {
      const first = gate();
      const stored = new Set<string>();
      class Slow extends Counting {
        dangling: string[] = [];
        override async putBlob(hash: string, bytes: Uint8Array): Promise<void> {
          const isFirst = stored.size === 0;
          for (let turn = 0; turn < (isFirst ? 1 : 20); turn++) await new Promise(setImmediate);
          stored.add(hash);
          if (isFirst) first.open();
          return this.inner.putBlob(hash, bytes);
        }
        override append(append: Append): ReturnType<Backend["append"]> {
          this.dangling.push(...(append.blobs ?? []).filter((hash) => !stored.has(hash)));
          return super.append(append);
        }
      }
      const early = op("early", async ({ n }: { n: number }) => ({ text: String(n).padEnd(100_000, "x") }));
      const late = op("late", async ({ n }: { n: number }) => {
        await first.opened;
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        return { text: String(n).padEnd(100_000, "y") };
      });
      const flow = graph("flow", (input: Ref<{ n: number }>) => ({
        a: early({ n: input.n }).text,
        b: late({ n: input.n }).text,
      }));
      const backend = new Slow(memory());
      const engine = await open({ backend, durability });
      await engine.run(flow, { n: turns });
      expect(backend.dangling).toEqual([]);
    }
  },
);

test("P3.8c H24 a log of many megabytes is several rows, cut between events, and no more of it is held than a journal may have", async () => {
  const text = op("text", ({ n }: { n: number }) => ({ text: String(n).padEnd(60_000, "y") }));
  const count = op("count", ({ all }: { all: string[] }) => ({ n: all.length }));
  const flow = graph("flow", (input: Ref<{ xs: number[] }>) => ({
    n: count({ all: collect(text({ n: each(input.xs) }).text) }).n,
  }));
  const many = Array.from({ length: 400 }, (_, i) => i);
  const backend = memory();
  const engine = await open({ backend, durability: "exit" });
  expect(await engine.run(flow, { xs: many }, { id: "run" })).toEqual({ n: 400 });
  const rows = await rowsOf(backend, "run");
  expect(rows.length).toBeGreaterThan(2);
  for (const { bytes } of rows) expect(bytes.length).toBeLessThan(9 * 2 ** 20);
  expect((await recordingOf(backend, "run")).records.at(-1)?.[0]).toBe(9);
  const limited = await open({
    backend: backend.another(),
    durability: "exit",
    journalLimits: { maxBytes: 1_000_000 },
  });
  const handle = await limited.start(flow, { xs: many }, { id: "limited" });
  expect(await handle.result()).toMatchObject({ status: "failed", errors: [{ code: "JournalLimit" }] });
});

test("P3.8c H49 P3.6 unsafe ops and live inputs are refused by name, before a run is there, when the engine opens and when one is started", async () => {
  const charge = op("charge", { effect: "unsafe" }, async ({ n }: { n: number }) => ({ n }));
  const pay = graph("pay", (input: Ref<{ n: number }>) => ({ n: charge({ n: input.n }).n }));
  const chat = graph("chat", (input: Ref<{ n: number }>) => ({
    n: input.n,
    all: collect(ingress<{ n: number }>("said").n),
  }));
  const backend = memory();
  const refused = {
    code: "DurabilityTooWeak",
    message: expect.stringContaining('"pay" has unsafe ops ("charge")') as string,
  };
  await expect(openEngine({ backend: memory(), durability: "exit", graphs: [pay] })).rejects.toMatchObject(refused);
  const engine = await open({ backend, durability: "exit" });
  await expect(engine.start(pay, { n: 1 }, { id: "run" })).rejects.toMatchObject({
    ...refused,
    hint: expect.stringContaining("idempotent") as string,
  });
  await expect(engine.start(chat, { n: 1 })).rejects.toMatchObject({ code: "DurabilityTooWeak" });
  expect(await engine.get("run")).toBeUndefined();
});

/** Appends wait until they are let through. */
class Gated extends Counting {
  readonly door = gate();

  override async append(append: Append): ReturnType<Backend["append"]> {
    await this.door.opened;
    return super.append(append);
  }
}

test("P3.8c H26 what waits in memory is bounded, however long the log: complete rows are written, and who is too fast waits", async () => {
  let yielded = 0;
  const lines = op("lines", { transient: true }, async function* () {
    for (; yielded < 80_000; yielded++) yield { text: String(yielded).padEnd(1_000, "x") };
  });
  const flow = graph("flow", () => {
    const text = lines({}).text;
    emit("heard", text);
    return { n: 1 };
  });
  const backend = new Gated(memory());
  const engine = await open({ backend, durability: "exit" });
  const handle = await engine.start(flow, {}, { id: "run" });
  handle.result().catch(() => undefined);
  let before = -1;
  await expect.poll(() => before === (before = yielded) && before > 0, { timeout: 60_000, interval: 500 }).toBe(true);
  // Some rows of eight megabytes, and not eighty.
  expect(yielded).toBeLessThan(60_000);
  backend.door.open();
  expect((await handle.result()).status).toBe("completed");
  expect(yielded).toBe(80_000);
  expect(backend.appends.length).toBeGreaterThan(5);
  expect(backend.appends.filter(({ status }) => status !== undefined)).toHaveLength(1);
}, 120_000);

test("P3.8c H81 an engine that closes writes what is recorded: what was over stays over, also when a body outlives the grace of a shutdown", async () => {
  for (const how of ["close", "shutdown"] as const) {
    ran.length = 0;
    const reached = gate();
    let hangs = true;
    const hanging = op("hanging", async ({ n }: { n: number }) => {
      reached.open();
      if (hangs) await forever();
      return { n };
    });
    const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: hanging({ n: step({ n: input.n }).n }).n }));
    const backend = memory();
    const counting = new Counting(backend);
    const engine = await openEngine({ backend: counting, durability: "exit", warn: () => undefined });
    (await engine.start(flow, { n: 1 }, { id: how })).result().catch(() => undefined);
    await reached.opened;
    expect(counting.appends).toEqual([]);
    await (how === "close" ? engine.close() : engine.shutdown({ grace: 1 }));
    expect(counting.appends).toHaveLength(1);
    hangs = false;
    const next = await open({ backend: backend.another(), durability: "exit", graphs: [flow] });
    expect(await next.recovered[0]?.output()).toEqual({ n: 2 });
    expect(ran).toEqual(["flow/step"]);
  }
});

test("P3.8c an engine closes though what is recorded cannot be written", async () => {
  const reached = gate();
  const hanging = op("hanging", async ({ n }: { n: number }) => {
    reached.open();
    await forever();
    return { n };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: hanging({ n: step({ n: input.n }).n }).n }));
  class Broken extends Counting {
    override append(): ReturnType<Backend["append"]> {
      return Promise.reject(new Error("the disk is full"));
    }
  }
  const engine = await openEngine({ backend: new Broken(memory()), durability: "exit", warn: () => undefined });
  const ended = (await engine.start(flow, { n: 1 }, { id: "run" })).result();
  await reached.opened;
  await Promise.all([engine.close(), expect(ended).rejects.toMatchObject({ code: "EngineClosed" })]);
});
