import { expect, test } from "vitest";
import {
  append,
  cell,
  collect,
  each,
  END,
  graph,
  last,
  memory,
  op,
  push,
  read,
  stateGraph,
  type Ref,
} from "../../src/index.ts";
import { dice } from "./support/dice.ts";
import { open, resumedOn } from "./support/engines.ts";
import { Faulty } from "./support/faulty.ts";
import { forever, gate } from "./support/gate.ts";
import { recordingOf, recordsIn, rowsOf, type RawRecord } from "./support/journal.ts";

/** Is the end of `node` in this context among the records? `at` is the address: 0, or the indices of the items. */
function hasOutput(records: readonly RawRecord[], node: string, at: unknown): boolean {
  const slot = slotOf(records, node);
  return records.some(
    (record) => record[0] === 1 && record[1] === slot && JSON.stringify(record[2]) === JSON.stringify(at),
  );
}

function slotOf(records: readonly RawRecord[], node: string): number | undefined {
  const { nodes } = (records[0] as RawRecord)[1] as { nodes: [number, string][] };
  return nodes.find(([, name]) => name === node)?.[0];
}

function frames(records: readonly RawRecord[], node: string): number {
  return records.filter((record) => record[0] === 2 && record[1] === slotOf(records, node)).length;
}

const wait = (ms: number): Promise<void> =>
  ms === 0 ? Promise.resolve() : new Promise((resolve) => (ms < 1 ? setImmediate(resolve) : setTimeout(resolve, ms)));

/** Ops that look, at the moment they start, whether what caused them is durable; what they missed is in `early`. */
function suspicious(backend: Faulty, early: string[]) {
  const must = (what: string, ctx: { runId: string }, holds: (records: readonly RawRecord[]) => boolean): void => {
    if (!holds(backend.recordsOf(ctx.runId))) early.push(what);
  };
  let failed = 0;
  const source = op("source", async function* ({ n }: { n: number }, ctx) {
    must("source", ctx, (records) => hasOutput(records, "first", 0));
    for (let k = 0; k < n; k++) yield { k };
  });
  const first = op("first", ({ n }: { n: number }, ctx) => {
    must("first", ctx, (records) => records[0]?.[0] === 0);
    return { n };
  });
  const a = op("a", async ({ k }: { k: number }, ctx) => {
    must(`a ${k}`, ctx, (records) => frames(records, "source") > k);
    return { k };
  });
  const b = op("b", { retry: { attempts: 2, initial: 1, on: () => true } }, async ({ k }: { k: number }, ctx) => {
    must(`b ${k}`, ctx, (records) => hasOutput(records, "a", [k]));
    if (ctx.attempt === 2)
      must(`b ${k} again`, ctx, (records) =>
        records.some((record) => record[0] === 4 && JSON.stringify(record[2]) === `[${k}]`),
      );
    if (ctx.attempt === 1 && k % 3 === 0 && ++failed > 0) throw new Error("once");
    return { k };
  });
  const last = op("last", ({ all }: { all: number[] }, ctx) => {
    must("last", ctx, (records) => all.every((k) => hasOutput(records, "b", [k])));
    return { sum: all.reduce((sum, k) => sum + k, 0) };
  });
  const log = cell("log", append<number>());
  return graph("flow", (input: Ref<{ n: number }>) => {
    const k = source({ n: first({ n: input.n }).n }).k;
    const done = b({ k: a({ k }, { parallel: 3 }).k }, { parallel: 3 });
    const pushed = push(log, done.k);
    return { sum: last({ all: collect(done.k) }).sum, log: read(log, { after: [pushed] }) };
  });
}

test("P3.8a under sync, whenever a body starts or a result is told, the records that caused it are durable, however slowly the journal answers", async () => {
  const roll = dice(7);
  const early: string[] = [];
  for (let round = 0; round < 12; round++) {
    const delay = (): number => (round === 0 ? 0 : ([0, 0.5, 0.5, 2][roll(4)] ?? 0));
    const backend = new Faulty(memory(), { before: () => wait(delay()), after: () => wait(delay()) });
    const engine = await open({ backend });
    const handle = await engine.start(suspicious(backend, early), { n: 9 }, { id: "r" });
    expect(backend.recordsOf("r")[0]?.[0], "start returned before the run was durable").toBe(0);
    const result = await handle.result();
    expect(result).toMatchObject({ status: "completed", output: { sum: 36 } });
    expect(backend.recordsOf("r").at(-1)?.[0], "the result was told before the end was durable").toBe(9);
    expect((await backend.get("r"))?.status).toBe("completed");
    await engine.close();
  }
  expect(early).toEqual([]);
});

test("P3.8a while the journal hangs nothing follows: no body starts, no result, no status", async () => {
  const door = gate();
  const backend = new Faulty(memory(), { before: () => door.opened });
  const ran: string[] = [];
  const one = op("one", ({ n }: { n: number }) => (ran.push("one"), { n }));
  const two = op("two", { effect: "pure" }, ({ n }: { n: number }) => (ran.push("two"), { n }));
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: two({ n: one({ n: input.n }).n }).n }));
  const engine = await open({ backend });
  const handle = await engine.start(flow, { n: 1 }, { id: "r" });
  let told = false;
  handle.result().then(
    () => (told = true),
    () => undefined,
  );
  await wait(20);
  expect(ran).toEqual(["one"]);
  expect(told).toBe(false);
  expect(await engine.get("r")).toMatchObject({ status: "running", finished: {} });
  door.open();
  expect(await handle.output()).toEqual({ n: 1 });
  expect(ran).toEqual(["one", "two"]);
});

test("P3.8a under sync a branch of a state graph decides while what it looks at is written, in the same row, and nothing follows it before that is durable", async () => {
  const door = gate();
  // The first row holds the validated input.
  const backend: Faulty = new Faulty(memory(), {
    before: () => (backend.appends.length > 1 ? door.opened : undefined),
  });
  const ran: string[] = [];
  const turn = stateGraph("turn", { state: { n: last(0) }, nodes: ["a", "b"] })
    .node("a", ({ n }, to) => (ran.push("a"), to.write({ n: n + 1 })))
    .node("b", ({ n }, to) => (ran.push(`b behind ${backend.appends.length} rows`), to.write({ n: n * 10 })))
    .branch("a", ({ n }) => (ran.push("branch"), n === 2 ? "b" : END))
    .entry("a")
    .compile();
  const engine = await open({ backend });
  const handle = await engine.start(turn, { n: 1 }, { id: "r" });
  await wait(20);
  expect(ran).toEqual(["a", "branch"]);
  door.open();
  expect(await handle.output()).toEqual({ n: 20 });
  expect(ran).toEqual(["a", "branch", "b behind 2 rows"]);
  expect(
    backend.appends[1]?.row.count,
    "outputs of a and of the branch, that the loop goes on, and into which arm",
  ).toBe(4);
});

test("P3.8b under async with a journal that hangs, pure ops run ahead, and any other op waits for the records behind it", async () => {
  const door = gate();
  const backend = new Faulty(memory(), { before: () => door.opened });
  const ran: string[] = [];
  const at = (name: string, effect: "pure" | "idempotent") =>
    op(name, { effect }, ({ n }: { n: number }) => (ran.push(name), { n: n + 1 }));
  const flow = graph("flow", (input: Ref<{ n: number }>) => {
    const p = at("p2", "pure")({ n: at("p1", "pure")({ n: input.n }).n });
    return { n: at("p3", "pure")({ n: at("effect", "idempotent")({ n: p.n }).n }).n };
  });
  const engine = await open({ backend, durability: "async" });
  const handle = await engine.start(flow, { n: 1 }, { id: "r" });
  let told = false;
  handle.result().then(
    () => (told = true),
    () => undefined,
  );
  await wait(20);
  expect(ran).toEqual(["p1", "p2"]);
  expect(backend.recordsOf("r")).toHaveLength(1);
  expect(told).toBe(false);
  door.open();
  expect(await handle.output()).toEqual({ n: 5 });
  expect(ran).toEqual(["p1", "p2", "effect", "p3"]);
  expect(backend.recordsOf("r").at(-1)?.[0]).toBe(9);
});

const wide = (kilobytes: number, ran: number[]) => {
  const big = op(
    "big",
    { effect: "pure" },
    async ({ k }: { k: number }) => (ran.push(k), { text: String(k).padEnd(kilobytes * 1024, "x") }),
  );
  const size = op("size", { effect: "pure" }, async ({ text }: { text: string }) => ({ length: text.length }));
  return graph("wide", (input: Ref<{ xs: number[] }>) => ({
    all: collect(size({ text: big({ k: each(input.xs) }, { parallel: 10 }).text }).length),
  }));
};

test.each([
  ["in the row", 50],
  ["in blobs", 100],
])(
  "P3.8b H26 pure ops that outrun the journal wait once some megabytes are not durable, with values %s; then all is written, once and in order",
  async (_where, kilobytes) => {
    const door = gate();
    const backend = new Faulty(memory(), { before: () => door.opened, beforeBlob: () => door.opened });
    const ran: number[] = [];
    const engine = await open({ backend, durability: "async" });
    const xs = Array.from({ length: 150 }, (_, i) => i);
    const handle = await engine.start(wide(kilobytes, ran), { xs }, { id: "r" });
    for (let before = -1; before !== ran.length; await wait(45)) before = ran.length;
    const ahead = ran.length;
    expect((ahead * kilobytes) / 1024, "megabytes ahead of the journal").toBeLessThan(10);
    expect(ahead).toBeGreaterThan(10);
    door.open();
    expect(await handle.output()).toEqual({ all: xs.map(() => kilobytes * 1024) });
    const { records } = await recordingOf(backend, "r");
    const slot = slotOf(records, "big");
    const written = records
      .filter((record) => record[0] === 1 && record[1] === slot)
      .map((record) => (record[2] as number[])[0]);
    expect(written.toSorted((a = 0, b = 0) => a - b)).toEqual(xs);
    expect(ran).toHaveLength(150);
  },
);

test("P3.8b under async a crash loses at most the tail: the run is resumed from what is durable and gives the same result", async () => {
  for (let allowed = 0; allowed < 6; allowed++) {
    const store = memory();
    let appends = 0;
    const backend = new Faulty(store, { before: () => (++appends > allowed ? forever() : undefined) });
    const early: string[] = [];
    const flow = suspicious(backend, early);
    const engine = await open({ backend, durability: "async" });
    (await engine.start(flow, { n: 6 }, { id: "r" })).result().catch(() => undefined);
    await wait(15);
    await engine.close();
    const next = new Faulty(store.another());
    for (const row of await rowsOf2(store, "r")) next.durable.set("r", [...next.recordsOf("r"), ...row]);
    const again = suspicious(next, early);
    const result = await resumedOn(next, again, { durability: "async" });
    expect(result).toMatchObject({ status: "completed", output: { sum: 15 } });
    // Not one op here is pure, so none may have run ahead, neither before the crash nor after it.
    expect(early).toEqual([]);
  }
});

async function rowsOf2(store: ReturnType<typeof memory>, runId: string): Promise<RawRecord[][]> {
  const handle = store.another();
  await handle.open("reader");
  const rows = await rowsOf(handle, runId);
  await handle.close();
  return rows.map(recordsIn);
}
