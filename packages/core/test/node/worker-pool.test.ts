import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { collect, each, fallback, graph, memory, race, type LogEntry, type Ref } from "../../src/index.ts";
import { workerPool, type WorkerPoolOptions } from "../../src/node/index.ts";
import { crashEverywhere, open } from "../acceptance/support/engines.ts";
import { eventually } from "../acceptance/support/gate.ts";
import * as ops from "./programs/cpu-ops.ts";
import { one as twin } from "./programs/cpu-twins.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const module = new URL("./programs/cpu-ops.ts", import.meta.url);
const pool = (options: Partial<WorkerPoolOptions> = {}) => workerPool({ module, threads: 2, ...options });

/** The longest time that the event loop of this thread was held up since the call. */
function longestStall(): () => number {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

test("P1 a busy loop fails at its time-out, and the event loop of the engine turns all the while", async () => {
  const engine = await open({ cpu: pool() });
  await engine.run(ops.echo, { value: 0 });
  const stall = longestStall();
  const since = performance.now();
  const result = await (await engine.start(ops.spin, { label: "x" })).result();
  expect(performance.now() - since).toBeLessThan(3_000);
  expect(performance.now() - since).toBeGreaterThan(190);
  expect(stall()).toBeLessThan(500);
  expect(result).toMatchObject({ status: "failed", errors: [{ node: "spin", code: "Timeout", type: "TimeoutError" }] });
  // Its worker is replaced.
  expect(await engine.run(ops.echo, { value: 1 })).toEqual({ value: 1 });
});

test("bodies run beside each other in threads of their own, and inputs and outputs keep their types", async () => {
  const engine = await open({ cpu: pool() });
  const g = graph("g", (input: Ref<{ ns: number[] }>) => ({
    all: collect(ops.fib({ n: each(input.ns) }, { parallel: 4 })),
  }));
  const { all } = await engine.run(g, { ns: [20, 20, 20, 20] });
  expect(all.map(({ value }) => value)).toEqual([6765, 6765, 6765, 6765]);
  expect(new Set(all.map(({ thread }) => thread)).size).toBe(2);
  expect(all.every(({ thread }) => thread > 0)).toBe(true);
  const value = {
    at: new Date(5),
    map: new Map([[1n, new Set(["x"])]]),
    minus: -0,
    none: undefined,
    bytes: new Uint8Array([1]),
  };
  expect(await engine.run(ops.echo, { value })).toEqual({ value });
});

test("H51 a cancelled run, a lost race and a swept body end their busy worker", async () => {
  const engine = await open({ cpu: pool() });
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const file = join(folder.path, "mark");
  const run = await engine.start(ops.marks, { file, ms: 500 });
  await sleep(100);
  expect((await run.cancel()).status).toBe("cancelled");
  // By itself this one never ends: who waited for it would wait for ever.
  const endless = await engine.start(ops.spinFreely, { n: 1 });
  await sleep(100);
  expect((await endless.cancel()).status).toBe("cancelled");
  const raced = graph("raced", (input: Ref<{ n: number }>) => ({
    won: race("first", {
      spin: () => ({ n: ops.spinFreely({ n: input.n }).never }),
      quick: () => ({ n: ops.fib({ n: 10 }).value }),
    }).n,
  }));
  expect(await engine.run(raced, { n: 1 })).toEqual({ won: 55 });
  expect(await engine.run(ops.fib, { n: 10 })).toMatchObject({ value: 55 });
  await sleep(600);
  expect(existsSync(file)).toBe(false);
});

test("X4 a body that takes its worker down is a failure worth another attempt, and the others go on", async () => {
  const engine = await open({ cpu: pool() });
  const beside = engine.run(ops.fib, { n: 27 });
  expect(await engine.run(ops.exits, { until: 3 })).toEqual({ attempt: 3 });
  expect(await beside).toMatchObject({ value: 196_418 });
  const result = await (await engine.start(ops.exits, { until: 9 })).result();
  expect(result).toMatchObject({
    status: "failed",
    errors: [
      {
        code: "WorkerCrashed",
        attempts: 3,
        message: expect.stringContaining('ran "exits" ended: with exit code 7') as string,
      },
    ],
  });
});

test("X4 a body that needs too much memory fails alone", async () => {
  const engine = await open({ cpu: pool({ heapMb: 64 }) });
  const result = await (await engine.start(ops.hoards, {})).result();
  expect(result).toMatchObject({ status: "failed", errors: [{ code: "WorkerCrashed" }] });
  expect(await engine.run(ops.echo, { value: 1 })).toEqual({ value: 1 });
});

test("errors keep name, message, code and data, and say what retries must know", async () => {
  const backend = memory();
  const engine = await open({ cpu: pool(), backend });
  const failed = await (await engine.start(ops.refuse, { status: 418 })).result();
  expect(failed.errors).toMatchObject([{ code: "E_HTTP", type: "HttpError", message: "status 418", attempts: 1 }]);
  const started = Date.now();
  const g = graph("g", (input: Ref<{ status: number }>) => ({
    seen: fallback(
      "safe",
      () => ({ it: ops.refuse({ status: input.status }, { retry: { attempts: 2, initial: 1, max: 2 } }).never }),
      (error) => ({ it: error.data }),
    ).it,
  }));
  const waiting = await engine.start(g, { status: 503 });
  await eventually("the first attempt failed", async () => {
    const rows = [];
    for await (const row of backend.read(waiting.runId)) rows.push(new TextDecoder().decode(row.bytes));
    return /"HttpError"/.test(rows.join(""));
  });
  const text: string[] = [];
  for await (const row of backend.read(waiting.runId)) text.push(new TextDecoder().decode(row.bytes));
  const due = Number(/,1,(\d{13}),/.exec(text.join(""))?.[1]);
  expect(due - started).toBeGreaterThanOrEqual(7_000);
  await waiting.cancel();
  const thrown = await (await engine.start(ops.throwText, {})).result();
  expect(thrown.errors).toMatchObject([{ code: "Thrown", message: "only text" }]);
  const symbol = await (await engine.start(ops.throwSymbol, {})).result();
  expect(symbol.errors).toMatchObject([{ code: "Thrown", message: "Symbol(oops)" }]);
  const bad = await (await engine.start(ops.unencodable, {})).result();
  expect(bad.errors).toMatchObject([
    { code: "Unencodable", message: expect.stringContaining("output.f: function") as string },
  ]);
});

test("the body is told who it is, and its lines reach the log", async () => {
  const lines: LogEntry[] = [];
  const engine = await open({ cpu: pool(), log: (entry) => lines.push(entry) });
  const run = await engine.start(ops.told, {}, { context: { user: "ann" } });
  const output = await run.output();
  expect(output).toMatchObject({
    runId: run.runId,
    graph: "told",
    node: "told",
    path: "told/told",
    attempt: 1,
    context: { user: "ann" },
    traceId: undefined,
    labels: {},
    aborted: false,
  });
  expect(output.left).toBeGreaterThan(50_000);
  expect(output.idempotencyKey).toMatch(/\S/);
  expect(lines).toMatchObject([{ level: "warn", message: "a line", data: { from: "told/told" }, path: "told/told", runId: run.runId }]); // prettier-ignore
});

test("R32 the body is told the trace id and the labels of the run", async () => {
  const engine = await open({ cpu: pool(), log: () => undefined });
  const marked = { context: { user: "ann" }, traceId: "t-1", labels: { session: "s-1" } };
  expect(await engine.run(ops.told, {}, marked)).toMatchObject({ traceId: "t-1", labels: { session: "s-1" } });
  const one = { context: { user: "ann" }, labels: { session: "s-1" } };
  expect(await engine.run(ops.told, {}, one)).toMatchObject({ traceId: undefined, labels: { session: "s-1" } });
});

test("schemas are checked on both sides of the border", async () => {
  const engine = await open({ cpu: pool() });
  expect(await engine.run(ops.checked, { n: "4" })).toEqual({ n: 5 });
  await expect(engine.run(ops.checked, { n: "x" })).rejects.toMatchObject({ code: "OpFailed" });
  const over = await (await engine.start(ops.checked, { n: 9 })).result();
  expect(over.errors).toMatchObject([{ code: "InvalidValue" }]);
});

test("a time limit counts from when a worker takes the body up", async () => {
  const engine = await open({ cpu: pool({ threads: 1 }) });
  await engine.run(ops.echo, { value: 0 });
  const g = graph("g", (input: Ref<{ ns: number[] }>) => ({
    all: collect(ops.fib({ n: each(input.ns) }, { parallel: 8, timeout: { run: "1s" } }).value),
  }));
  expect(await engine.run(g, { ns: Array.from({ length: 8 }, () => 34) })).toEqual({ all: Array.from({ length: 8 }, () => 5_702_887) }); // prettier-ignore
});

test("after a crash at every record only what had not finished runs again", async () => {
  const g = graph("g", (input: Ref<{ ns: number[] }>) => ({ all: collect(ops.fib({ n: each(input.ns) }).value) }));
  const cpu = pool({ threads: 1 });
  // Keeps the workers over the engines of the crashes.
  cpu.open();
  onTestFinished(() => cpu.close());
  await crashEverywhere(
    g,
    { ns: [10, 11] },
    ({ result }) => expect(result).toMatchObject({ status: "completed", output: { all: [55, 89] } }),
    { cpu },
  );
});

test("what cannot run in a worker is refused by name, before the run", async () => {
  const bare = await open();
  await expect(bare.run(ops.fib, { n: 1 })).rejects.toMatchObject({ code: "ExecutorMissing" });
  await expect(open({ graphs: [ops.fib] })).rejects.toMatchObject({ code: "ExecutorMissing" });
  const engine = await open({ cpu: pool() });
  await expect(engine.run(ops.holder.hidden, {})).rejects.toThrow(
    /op "hidden" is bound to the cpu, but is no export of file:.*export it there/s,
  );
  const twins = await open({ cpu: pool({ module: new URL("./programs/cpu-twins.ts", import.meta.url) }) });
  await expect(twins.run(twin, {})).rejects.toThrow('exports several ops named "twin"');
  const broken = pool({ module: new URL("./programs/cpu-broken.ts", import.meta.url) });
  await expect(open({ cpu: broken, graphs: [ops.fib] })).rejects.toThrow(
    /cpu-broken.ts cannot be loaded in a worker: this module does not load/,
  );
  expect(() => pool({ threads: 0 })).toThrow("threads of workerPool is 0");
  expect(() => pool({ module: [] })).toThrow("workerPool has no module");
});

test("F27 what a body threw in its worker keeps its causes and the line where it was thrown", async () => {
  const engine = await open({ cpu: pool() });
  const { errors } = await (await engine.start(ops.wraps, {})).result();
  expect(errors).toMatchObject([
    {
      node: "wraps",
      message: "all failed",
      causes: ["AggregateError: no mirror", "offline", "Error: one", "RangeError: two"],
      at: expect.stringMatching(/cpu-ops\.ts:\d+:\d+\)?$/),
    },
  ]);
});
