import { onTestFinished, expect, test } from "vitest";
import { join } from "node:path";
import {
  append,
  cell,
  collect,
  derive,
  each,
  exportRuns,
  graph,
  importRuns,
  checkAgainst,
  checkRuns,
  compareRuns,
  interrupt,
  loop,
  memory,
  op,
  push,
  read,
  type Backend,
  type Engine,
  type Ref,
} from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import type { MemoryBackend } from "../../src/backends/memory.ts";
import { temporaryFolder } from "../node/temporary-folder.ts";
import { open } from "./support/engines.ts";
import { z } from "zod";

const always = { after: 1, share: Infinity };
const big = "x".repeat(70_000);
const step = op("step", { async: true }, async ({ n }: { n: number }) => ({ n: n + 1, page: n === 2 ? big : "" }));
const seen = cell("seen", append<number>());
const asking = graph("asking", (input: Ref<{ to: number }>) => {
  const sum = loop("turns", { max: 100 }, { n: 0 }, (state) => {
    const next = step({ n: state.n });
    push(seen, next.n);
    return { next: { n: next.n }, until: derive([next.n, input.to] as const, ([n, to]) => n >= to) };
  });
  const said = interrupt("sure", { n: sum.n }, { answer: z.object({ ok: z.boolean() }) });
  return { n: sum.n, ok: said.ok, seen: read(seen, { after: [sum, said] }) };
});
const whole = { n: 20, ok: true, seen: Array.from({ length: 20 }, (_, i) => i + 1) };

async function asked(backend: Backend): Promise<Engine> {
  const engine = await open({ backend, graphs: [asking], snapshots: always });
  const handle = await engine.start(asking, { to: 20 }, { id: "run", labels: { user: "ann" } });
  await handle.result();
  return engine;
}

async function kindsOf(backend: Backend): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { bytes } of backend.read("run"))
    found.push(...(JSON.parse(new TextDecoder().decode(bytes)) as [number][]).map(([kind]) => kind));
  return found;
}

/** A store and further handles on it. */
const stores: readonly (readonly [string, () => () => Backend])[] = [
  [
    "memory",
    () => {
      let store: MemoryBackend | null = null;
      return () => (store = store === null ? memory() : store.another());
    },
  ],
  [
    "SQLite",
    () => {
      const folder = temporaryFolder();
      onTestFinished(() => folder.remove());
      return () => sqlite(join(folder.path, "runs.db"));
    },
  ],
];

test.each(stores)(
  "H24 on %s a compacted run goes on from its floor, and tells its input, counts and questions",
  async (_, make) => {
    const connect = make();
    const backend = connect();
    const engine = await asked(backend);
    const before = await engine.get("run");
    const compacted = await engine.compact("run");
    expect(compacted.records).toBeGreaterThan(40);
    expect((await kindsOf(backend)).slice(0, 2)).toEqual([23, 21]);
    // But for its size, all that is told of it stays.
    expect(await engine.get("run")).toEqual({ ...before, journalBytes: expect.any(Number) as number });
    expect(await engine.compact("run")).toEqual({ runId: "run", floor: compacted.floor, records: 0 });
    await checkRuns(backend, { found: (problem) => expect.unreachable(JSON.stringify(problem)) });
    const checked = await Array.fromAsync(checkAgainst(backend, [asking]));
    expect(checked).toMatchObject([{ runId: "run", verdict: "fits" }]);
    await engine.close();
    const next = await open({ backend: connect(), graphs: [asking], snapshots: false });
    const handle = await next.answer("run", "sure", { ok: true }, { by: "ann" });
    expect(await handle.output()).toEqual(whole);
    const info = await next.get("run");
    expect(info).toMatchObject({ status: "completed", input: { to: 20 }, labels: { user: "ann" }, output: whole });
    expect(info?.finished).toEqual({ ...before?.finished });
    expect(info?.answered).toMatchObject([{ node: "sure", by: "ann" }]);
  },
);

test("H24 below the floor history, states, forks and streams answer HistoryCompacted, and above it they work", async () => {
  const backend = memory();
  const engine = await asked(backend);
  const { floor } = await engine.compact("run");
  const handle = await engine.answer("run", "sure", { ok: true });
  await handle.result();
  const refusal = { code: "HistoryCompacted", message: expect.stringContaining(`below ${floor}`) as string };
  const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => Array.fromAsync(items);
  await expect(all(engine.history("run"))).rejects.toMatchObject(refusal);
  await expect(all(engine.history("run", { from: floor - 1 }))).rejects.toMatchObject(refusal);
  const [first, ...rest] = await all(engine.history("run", { from: floor }));
  expect(first).toMatchObject({ seq: floor, kind: "snapshot" });
  expect(rest.some(({ kind, path }) => kind === "answered" && path === "asking/sure")).toBe(true);
  await expect(engine.stateAt("run", floor - 1)).rejects.toMatchObject(refusal);
  expect(await engine.stateAt("run", floor)).toMatchObject({ cells: { seen: whole.seen }, input: { to: 20 } });
  const { lastSeq = 0 } = (await engine.get("run")) ?? {};
  expect(await engine.stateAt("run", lastSeq)).toMatchObject({ status: "completed", output: whole });
  await expect(engine.fork("run", { at: lastSeq })).rejects.toMatchObject({ code: "HistoryCompacted" });
  await expect(compareRuns(backend, "run", "run")).rejects.toMatchObject({ code: "HistoryCompacted" });
  await expect(all(await engine.stream("run", "tasks"))).rejects.toMatchObject(refusal);
  const events = await all(await engine.stream("run", ["updates", "interrupts"], { after: floor }));
  expect(events.map((event) => event.mode)).toContain("interrupts");
  expect(events.every(({ seq }) => seq > floor)).toBe(true);
});

test("H24 a run that is driven is compacted by its own engine while it goes on, and by nobody else", async () => {
  const store = memory();
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const slow = op("slow", { async: true }, async ({ n }: { n: number }) => {
    if (n === 30) await gate;
    return { n };
  });
  const g = graph("slow", (input: Ref<{ ns: number[] }>) => ({ ns: collect(slow({ n: each(input.ns) }).n) }));
  const engine = await open({ backend: store, snapshots: always });
  const ns = Array.from({ length: 40 }, (_, i) => i);
  const handle = await engine.start(g, { ns }, { id: "run" });
  await expect.poll(async () => (await engine.get("run"))?.finished["slow"]).toBe(30);
  const other = await open({ backend: store.another(), graphs: [] });
  await expect(other.compact("run")).rejects.toMatchObject({ code: "NotCompactable" });
  expect((await engine.compact("run")).records).toBeGreaterThan(30);
  letGo();
  expect(await handle.output()).toEqual({ ns });
  expect((await other.get("run"))?.finished["slow"]).toBe(40);
});

test("H24 not while a generator is under way, whose items a resume compares", async () => {
  const engine = await open({ backend: memory(), snapshots: always });
  const gen = op("gen", { async: true }, async function* (_input: { n: number }) {
    yield { n: 1 };
    await new Promise(() => undefined);
  });
  const g = graph("gens", (input: Ref<{ n: number }>) => ({ ns: collect(gen({ n: input.n }).n) }));
  const handle = await engine.start(g, { n: 1 }, { id: "run" });
  handle.result().catch(() => undefined);
  await expect.poll(async () => (await engine.get("run"))?.lastSeq).toBeGreaterThan(1);
  await expect(engine.compact("run")).rejects.toMatchObject({
    code: "NotCompactable",
    message: expect.stringContaining("gens/gen") as string,
  });
  await expect(engine.compact("nobody's")).rejects.toMatchObject({ code: "RunNotFound" });
});

test("H24 H25 blobs that only compacted records named can be pruned, and an export holds what is left", async () => {
  const backend = memory();
  const engine = await asked(backend);
  const blobs = async (): Promise<number> => (await backend.stats()).blobs;
  expect(await blobs()).toBeGreaterThan(0);
  await engine.compact("run");
  await backend.prune({ endedBefore: 0, limit: 1, blobsBefore: Date.now() + 60_000 });
  expect(await blobs()).toBe(0);
  const target = memory();
  await target.open("importer");
  await importRuns(target, () => exportRuns(backend));
  await target.close();
  const next = await open({ backend: target, graphs: [asking] });
  expect(await (await next.answer("run", "sure", { ok: true })).output()).toEqual(whole);
});

test("H24 where the snapshot at the floor cannot be used, the run is refused by name, with what to do", async () => {
  const backend = memory();
  const engine = await asked(backend);
  await engine.compact("run");
  await engine.close();
  const other = graph("asking", (input: Ref<{ to: number }>) => ({ n: step({ n: input.to }).n }));
  const next = await open({ backend: backend.another(), graphs: [other], snapshots: false });
  await expect(next.resume("run", { allowGraphChange: true })).rejects.toMatchObject({
    code: "HistoryCompacted",
    hint: expect.stringContaining("with the code that compacted it") as string,
  });
});
