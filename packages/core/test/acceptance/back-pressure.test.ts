import { expect, test } from "vitest";
import {
  collect,
  each,
  graph,
  MillraceError,
  memory,
  op,
  reduce,
  type Engine,
  type EngineOptions,
  type Observer,
  type Ref,
} from "../../src/index.ts";
import { afterCrash, open } from "./support/engines.ts";
import { fullHeap } from "./support/heap.ts";
import { recordingOf } from "./support/journal.ts";

const numbers = op("numbers", function* ({ n }: { n: number }) {
  for (let k = 0; k < n; k++) yield { k };
});
const add = (sum: number, k: number): number => sum + k;

/** The most open item contexts that any stream ever had, as the engine's own check sees them. */
function watching(options: EngineOptions = {}): { open: Promise<Engine>; most: () => number; dropped: () => number } {
  let most = 0;
  let dropped = 0;
  const check: NonNullable<EngineOptions["check"]> = ({ root }) => {
    for (const stream of root.streams ?? []) {
      most = Math.max(most, stream.openItems);
      dropped = Math.max(dropped, stream.dropped);
    }
  };
  return { open: open({ ...options, check }), most: () => most, dropped: () => dropped };
}

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("R29 a bounded edge makes the producer wait: it is never more than buffer items ahead of the slow consumer", async () => {
  let produced = 0;
  let consumed = 0;
  let ahead = 0;
  const source = op("source", async function* ({ n }: { n: number }) {
    for (let k = 0; k < n; k++) {
      produced++;
      ahead = Math.max(ahead, produced - consumed);
      yield { k };
    }
  });
  const slow = op("slow", async ({ k }: { k: number }) => {
    await later();
    consumed++;
    return { k };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    sum: reduce("sum", slow({ k: source({ n: input.n }).k }, { buffer: 4 }).k, 0, add),
  }));
  const { open: opening, most } = watching();
  const engine = await opening;
  expect(await engine.run(flow, { n: 500 })).toEqual({ sum: 124_750 });
  expect(most()).toBe(4);
  expect(ahead).toBeLessThanOrEqual(5);
});

test("R29 with dropOldest the oldest waiting item goes, as a record and counted, and what is left arrives in order, live and after a resume", async () => {
  const taken: number[] = [];
  let hold = (): void => undefined;
  const held = new Promise<void>((resolve) => (hold = resolve));
  const slow = op("slow", async ({ k }: { k: number }) => {
    taken.push(k);
    if (k === 0) await held;
    return { k };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    all: collect(slow({ k: numbers({ n: input.n }).k }, { buffer: 3, onFull: "dropOldest" }).k),
  }));
  const backend = memory();
  const { open: opening, most, dropped } = watching({ backend });
  const engine = await opening;
  const handle = await engine.start(flow, { n: 20 }, { id: "r" });
  await new Promise((resolve) => setTimeout(resolve, 30));
  hold();
  expect(await handle.result()).toMatchObject({ status: "completed", output: { all: [0, 18, 19] }, errors: [] });
  expect(taken).toEqual([0, 18, 19]);
  expect(most()).toBe(3);
  expect(dropped()).toBe(17);
  const { records } = await recordingOf(backend, "r");
  expect(records.filter(([kind]) => kind === 5).map((record) => record[3])).toEqual(
    Array.from({ length: 17 }, (_, i) => i + 1),
  );

  // The process dies when all is yielded and nothing but item 0 has been looked at: what was dropped stays dropped.
  taken.length = 0;
  const lastDrop = records.findLastIndex(([kind]) => kind === 5) + 1;
  expect(await afterCrash(await recordingOf(backend, "r"), lastDrop, flow)).toMatchObject({
    output: { all: [0, 18, 19] },
  });
  expect(taken).toEqual([0, 18, 19]);
});

test("R29 H59 the heap is flat over many thousand items, with aborts and timers asked for in each", async () => {
  const heaps: number[] = [];
  const payload = op("payload", async ({ k }: { k: number }, ctx) => {
    ctx.signal.addEventListener("abort", () => undefined);
    if (k % 5_000 === 4_999) heaps.push(fullHeap());
    return { k, bytes: "x".repeat(1_000) + String(k) };
  });
  const measure = op("measure", { timeout: { run: "10s" } }, async ({ bytes }: { bytes: string }) => ({
    length: bytes.length,
  }));
  const flow = graph("flow", (input: Ref<{ n: number }>) => {
    const p = payload({ k: numbers({ n: input.n }).k }, { parallel: 4, buffer: 64 });
    return { sum: reduce("sum", measure({ bytes: p.bytes }, { parallel: 4 }).length, 0, add) };
  });
  const engine = await open();
  expect(await engine.run(flow, { n: 30_000 })).toMatchObject({ sum: expect.any(Number) });
  const [, second = 0, ...rest] = heaps;
  // 25,000 retained items would be 25 MB of payload alone.
  for (const heap of rest) expect((heap - second) / 2 ** 20).toBeLessThan(3);
});

test("K5 two consumers of different speed over 100,000 items: both see all, at most buffer items are open, nothing deadlocks", async () => {
  let fastSeen = 0;
  let slowSeen = 0;
  const fast = op("fast", ({ k }: { k: number }) => {
    fastSeen++;
    return { k };
  });
  const slow = op("slow", async ({ k }: { k: number }) => {
    slowSeen++;
    if (k % 1_000 === 0) await later();
    return { k };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => {
    const { k } = numbers({ n: input.n });
    const f = reduce("fastSum", fast({ k }, { buffer: 100, parallel: 10 }).k, 0, add);
    const s = reduce("slowSum", slow({ k }, { buffer: 16 }).k, 0, add);
    return { f, s };
  });
  const { open: opening, most } = watching();
  const engine = await opening;
  const sum = (100_000 * 99_999) / 2;
  expect(await engine.run(flow, { n: 100_000 })).toEqual({ f: sum, s: sum });
  expect([fastSeen, slowSeen]).toEqual([100_000, 100_000]);
  expect(most()).toBe(16);
});

test("K5 a list of 20,000 elements opens its items as earlier ones close", async () => {
  const slow = op("slow", async ({ k }: { k: number }) => ({ k }));
  const flow = graph("flow", (input: Ref<{ xs: number[] }>) => ({
    sum: reduce("sum", slow({ k: each(input.xs) }, { buffer: 10, parallel: 10 }).k, 0, add),
  }));
  const { open: opening, most } = watching();
  const engine = await opening;
  const xs = Array.from({ length: 20_000 }, (_, i) => i);
  expect(await engine.run(flow, { xs })).toEqual({ sum: (20_000 * 19_999) / 2 });
  expect(most()).toBe(10);
});

test("K5 an inner stream that is full does not stop the items of the outer stream that are already running", async () => {
  const inner = op("inner", function* ({ k }: { k: number }) {
    for (let j = 0; j < 50; j++) yield { v: k * 100 + j };
  });
  const slow = op("slow", async ({ v }: { v: number }) => {
    await later();
    return { v };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => {
    const s = slow({ v: inner({ k: numbers({ n: input.n }).k }, { parallel: 3, buffer: 3 }).v }, { buffer: 2 });
    return { sums: collect(reduce("perOuter", s.v, 0, add)) };
  });
  const engine = await open();
  const output = await engine.run(flow, { n: 7 });
  expect(output).toEqual({ sums: Array.from({ length: 7 }, (_, k) => k * 5_000 + 1_225) });
});

test("K5 a graph whose items need the end of their own stream is refused when it is built, with the two-pass fix", () => {
  const use = op("use", async (input: { k: number; all: number[] }) => ({ n: input.k + input.all.length }));
  const blocking = (): unknown =>
    graph("blocking", (input: Ref<{ n: number }>) => {
      const { k } = numbers({ n: input.n });
      return { all: collect(use({ k, all: collect(k) }, { buffer: 4 }).n) };
    });
  expect(blocking).toThrow(MillraceError);
  expect(blocking).toThrow(expect.objectContaining({ code: "BuildError" }));
  expect(blocking).toThrow(/each\(collect|two passes/);
  const byAfter = (): unknown =>
    graph("byAfter", (input: Ref<{ n: number }>) => {
      const { k } = numbers({ n: input.n });
      const all = collect(k);
      return { all: collect(use({ k, all: [] }, { after: [all] }).n) };
    });
  expect(byAfter).toThrow(expect.objectContaining({ code: "BuildError" }));
});

test("K5 the two-pass form that the refusal names runs", async () => {
  const use = op("use", async (input: { k: number; all: number[] }) => ({ n: input.k + input.all.length }));
  const twoPass = graph("twoPass", (input: Ref<{ n: number }>) => {
    const all = collect(numbers({ n: input.n }).k, {});
    return { all: collect(use({ k: each(all), all }, { buffer: 4 }).n) };
  });
  const engine = await open();
  expect(await engine.run(twoPass, { n: 10 })).toEqual({ all: [10, 11, 12, 13, 14, 15, 16, 17, 18, 19] });
});

test("R29 an observer sees every item of a bounded stream exactly once", async () => {
  const yields: number[] = [];
  const observer: Observer = { yielded: ({ index }) => yields.push(index) };
  const slow = op("slow", async ({ k }: { k: number }) => ({ k }));
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    sum: reduce("sum", slow({ k: numbers({ n: input.n }).k }, { buffer: 2 }).k, 0, add),
  }));
  const engine = await open({ observer });
  await engine.run(flow, { n: 50 });
  expect(yields).toEqual(Array.from({ length: 50 }, (_, i) => i));
});

test("the first item reaches the third stage before the tenth is produced", async () => {
  let made = 0;
  let madeWhenFirstArrived = 0;
  const make = op("make", async function* ({ count }: { count: number }) {
    for (let i = 0; i < count; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      made++;
      yield { i };
    }
  });
  const pass = op("pass", async ({ i }: { i: number }) => ({ i }));
  const third = op("third", async ({ i }: { i: number }) => {
    if (i === 0) madeWhenFirstArrived = made;
    return { i };
  });
  const g = graph("stages", (input: Ref<{ count: number }>) => {
    const m = make({ count: input.count });
    return { all: collect(third({ i: pass({ i: pass({ i: m.i }).i }, { name: "again" }).i }).i) };
  });
  const engine = await open();
  const { all } = await engine.run(g, { count: 100 });
  expect(all).toHaveLength(100);
  expect(madeWhenFirstArrived).toBeGreaterThan(0);
  expect(madeWhenFirstArrived).toBeLessThan(10);
});
