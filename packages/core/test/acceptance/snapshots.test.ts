import { expect, test } from "vitest";
import {
  append,
  cell,
  collect,
  derive,
  each,
  graph,
  loop,
  memory,
  op,
  openEngine,
  push,
  read,
  WrappedBackend,
  type Engine,
  type EngineOptions,
  type JournalRow,
  type Ref,
} from "../../src/index.ts";
import type { MemoryBackend } from "../../src/backends/memory.ts";
import { open } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";

const always = { after: 1, share: Infinity };

/** Counts the journal rows that are read, and how often it is asked for some. */
class Counting extends WrappedBackend {
  rows = 0;
  reads = 0;

  override async *read(runId: string, fromSeq?: number): AsyncIterable<JournalRow> {
    this.reads++;
    for await (const row of this.inner.read(runId, fromSeq)) {
      this.rows++;
      yield row;
    }
  }
}

const started: number[] = [];
let held = true;
const step = op("step", { async: true }, ({ n }: { n: number }) => {
  started.push(n);
  return n === 40 && held ? new Promise<{ n: number }>(() => undefined) : Promise.resolve({ n: n + 1 });
});
const seen = cell("seen", append<number>());
const counting = graph("counting", (input: Ref<{ to: number }>) => {
  const sum = loop("turns", { max: 100 }, { n: 0 }, (state) => {
    const next = step({ n: state.n });
    push(seen, next.n);
    return { next: { n: next.n }, until: derive([next.n, input.to] as const, ([n, to]) => n >= to) };
  });
  return { n: sum.n, seen: read(seen, { after: [sum] }) };
});

async function diedAt40(options: EngineOptions = {}): Promise<MemoryBackend> {
  started.length = 0;
  held = true;
  const store = memory();
  const engine = await openEngine({ warn: () => undefined, snapshots: always, ...options, backend: store });
  const handle = await engine.start(counting, { to: 50 }, { id: "run" });
  handle.result().catch(() => undefined);
  await eventually(() => expect(started).toContain(40));
  await store.abandon();
  held = false;
  return store;
}

async function goOn(
  store: MemoryBackend,
  options: EngineOptions = {},
): Promise<{ engine: Engine; rows: number; output: unknown }> {
  started.length = 0;
  const backend = new Counting(store.another());
  const engine = await open({ graphs: [counting], ...options, backend });
  const { rows } = backend;
  const result = await engine.recovered[0]?.result();
  return { engine, rows, output: result?.status === "completed" ? result.output : result };
}

const whole = { n: 50, seen: Array.from({ length: 50 }, (_, i) => i + 1) };

test("H24 P3.1 a resume begins at the last snapshot, reads nothing before it, and comes to what a full replay comes to", async () => {
  const { rows, output } = await goOn(await diedAt40());
  expect(output).toEqual(whole);
  expect(rows).toBeLessThanOrEqual(3);
  expect(started[0]).toBe(40);
  const replayed = await goOn(await diedAt40({ snapshots: false }));
  expect(replayed.output).toEqual(whole);
  expect(replayed.rows).toBeGreaterThan(40);
});

test("unless it is said otherwise, a run with a small state is resumed by its last 64 commits, and by few reads", async () => {
  const { promise: stuck, resolve: isStuck } = Promise.withResolvers<void>();
  let dies = true;
  const add = op("add", ({ n }: { n: number }) => {
    if (n < 1_500 || !dies) return { n: n + 1 };
    isStuck();
    return new Promise<{ n: number }>(() => undefined);
  });
  const long = graph("long", () => {
    const end = loop("turns", { max: 2_000 }, { n: 0 }, (state) => {
      const { n } = add({ n: state.n });
      return { next: { n }, until: derive(n, (count) => count >= 1_600) };
    });
    return { n: end.n };
  });
  const store = memory();
  const engine = await openEngine({ warn: () => undefined, backend: store });
  const handle = await engine.start(long, {}, { id: "run" });
  handle.result().catch(() => undefined);
  await stuck;
  await store.abandon();
  dies = false;
  const backend = new Counting(store.another());
  const again = await open({ graphs: [long], backend });
  const { rows, reads } = backend;
  expect(await again.recovered[0]?.output()).toEqual({ n: 1_600 });
  expect({ isShort: rows < 200, isRead: rows > 0, reads }).toEqual({ isShort: true, isRead: true, reads: 1 });
});

/** One row of a stored journal is changed on its way out, with a checksum that fits. */
async function withSnapshots(store: MemoryBackend, change: (record: unknown[]) => void): Promise<MemoryBackend> {
  const { nextChain } = await import("../../src/journal/rows.ts");
  const copy = memory();
  await copy.open("writer");
  const row = (await rowOf(store))!;
  let chain = 0;
  const journal: JournalRow[] = [];
  const reader = store.another();
  await reader.open("reader");
  for await (const { firstSeq, count, bytes } of reader.read("run")) {
    const records = JSON.parse(new TextDecoder().decode(bytes)) as unknown[][];
    for (const record of records) if (record[0] === 21) change(record);
    const changed = records.some(([kind]) => kind === 21) ? relinked(records, chain) : bytes;
    chain = nextChain(chain, firstSeq, count, changed);
    journal.push({ firstSeq, count, bytes: changed, chain });
  }
  await copy.restore({
    row: { ...row, chain, owner: null, status: "queued" },
    journal,
    notes: [],
    carried: [],
    blobs: [],
  });
  await copy.noteSnapshot?.("run", row.snapshotSeq ?? 0);
  await copy.close();
  return copy;
}

function relinked(records: unknown[][], chain: number): Uint8Array {
  const [kind, header, ...rest] = records[0] as [number, object, ...unknown[]];
  return new TextEncoder().encode(JSON.stringify([[kind, { ...header, chain }, ...rest]]));
}

async function rowOf(store: MemoryBackend): Promise<Awaited<ReturnType<MemoryBackend["get"]>>> {
  const reader = store.another();
  await reader.open(`of ${Math.random()}`);
  return reader.get("run");
}

test.each([
  ["of another format", (record: unknown[]) => Object.assign(record[1] as object, { format: 99 })],
  ["of another graph", (record: unknown[]) => Object.assign(record[1] as object, { fingerprint: "sha256:0" })],
  ["of other constants", (record: unknown[]) => Object.assign(record[1] as object, { constants: "1" })],
  ["whose state is not what its hash says", (record: unknown[]) => (record[2] = String(record[2]).replace("7", "8"))],
  ["whose state is no state", (record: unknown[]) => (record[2] = "[]")],
  ["whose state is missing", (record: unknown[]) => (record[2] = { $b: "0".repeat(64) })],
])("H24 a snapshot %s is passed over, and the journal is replayed", async (_, change) => {
  const store = await withSnapshots(await diedAt40(), change);
  const { rows, output } = await goOn(store);
  expect(output).toEqual(whole);
  expect(rows).toBeGreaterThan(40);
});

test("by default a short run has no snapshot, and a long one has few: they cost a share of what is written", async () => {
  const store = memory();
  const engine = await open({ backend: store });
  const page = op("page", { async: true }, async ({ n }: { n: number }) => ({ text: `${n}`.repeat(400) }));
  const pages = graph("pages", (input: Ref<{ ns: number[] }>) => ({
    sizes: collect(derive(page({ n: each(input.ns) }).text, (text) => text.length)),
  }));
  await engine.run(pages, { ns: [1, 2, 3] }, { id: "short" });
  await engine.run(pages, { ns: Array.from({ length: 4_000 }, (_, i) => i) }, { id: "long" });
  const kinds = async (id: string): Promise<{ readonly all: number; readonly snapshots: number }> => {
    let all = 0;
    let snapshots = 0;
    for await (const { bytes } of store.read(id)) {
      all += bytes.length;
      if (new TextDecoder().decode(bytes.subarray(0, 4)) === "[[21") snapshots += bytes.length;
    }
    return { all, snapshots };
  };
  expect((await kinds("short")).snapshots).toBe(0);
  const long = await kinds("long");
  expect(long.snapshots).toBeGreaterThan(0);
  expect(long.snapshots).toBeLessThan(long.all * 0.25);
});

test("a run whose state cannot be kept goes on without snapshots, and is replayed", async () => {
  class Client {
    readonly n = 1;
  }
  const use = op("use", { async: true }, ({ n }: { client: Client; n: number }) => ({ n }));
  const clients = graph("clients", (input: Ref<{ n: number }>) => {
    const client = derive(input.n, () => new Client());
    return { n: use({ client, n: use({ client, n: input.n }, { name: "first" }).n }).n };
  });
  const store = memory();
  const engine = await open({ backend: store, snapshots: always });
  const result = await engine.run(clients, { n: 3 }, { id: "run" });
  expect(result).toEqual({ n: 3 });
  expect((await store.get("run"))?.snapshotSeq).toBeUndefined();
});

test("X1 options of snapshots that are none are refused when the engine opens", async () => {
  for (const snapshots of [{ after: 0 }, { share: -1 }, { after: Number.NaN }])
    await expect(openEngine({ snapshots })).rejects.toMatchObject({ code: "InvalidOption" });
  await expect(openEngine({ snapshots: { afterr: 1 } as never })).rejects.toThrow('did you mean "after"');
});
