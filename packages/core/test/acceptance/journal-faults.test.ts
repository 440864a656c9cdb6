import { join } from "node:path";
import { expect, test } from "vitest";
import { collect, graph, memory, op, reduce, type Engine, type Ref, type RunResult } from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import { packRow } from "../../src/journal/rows.ts";
import { open, undisturbed } from "./support/engines.ts";
import { Faulty } from "./support/faulty.ts";
import { folder } from "./support/files.ts";
import { recordingOf, recordsIn, rowsOf, type RawRecord } from "./support/journal.ts";

const numbers = op("numbers", async function* ({ n }: { n: number }) {
  for (let k = 0; k < n; k++) yield { k };
});
const double = op("double", async ({ k }: { k: number }) => ({ k: k * 2 }));
const flow = graph("flow", (input: Ref<{ n: number }>) => ({
  sum: reduce("sum", double({ k: numbers({ n: input.n }).k }, { parallel: 2 }).k, 0, (sum, k) => sum + k),
}));
const input = { n: 4 };

/** Addresses of all ends: each may stand in a journal once. */
function ends(records: readonly RawRecord[]): string[] {
  return records
    .filter(([kind]) => kind === 1 || kind === 3 || kind === 9)
    .map((record) => JSON.stringify(record.slice(0, record[0] === 9 ? 1 : 3)));
}

/** Starts the run on a backend whose n-th append goes wrong, and gives what the caller was told. */
async function startWithFault(
  nth: number,
  when: "before" | "after",
): Promise<{ store: ReturnType<typeof memory>; backend: Faulty; engine: Engine; told: RunResult<unknown> | Error }> {
  const store = memory();
  let appends = 0;
  const backend = new Faulty(store);
  backend.faults = {
    [when]: () => {
      if (++appends === nth) throw new Error("the connection broke");
    },
  };
  const engine = await open({ backend, graphs: [flow] });
  const handle = await engine.start(flow, input, { id: "r" });
  const told = await handle.result().catch((error: unknown) => error as Error);
  return { store, backend, engine, told };
}

test("H15 when the n-th commit fails, nothing beyond the durable records was told, and the next engine finishes the run with each end recorded once", async () => {
  const whole = await undisturbed(flow, input);
  const told: string[] = [];
  for (let nth = 1; nth < whole.recording.records.length; nth++) {
    const first = await startWithFault(nth, "before");
    told.push(first.told instanceof Error ? first.told.message : first.told.status);
    expect((await first.store.get("r"))?.status).toBe(first.told instanceof Error ? "running" : "completed");
    expect(await finishElsewhere(first)).toEqual(sound);
  }
  // The late faults never come: the run has fewer commits than records.
  expect(told.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => "the connection broke"));
  expect(told.at(-1)).toBe("completed");
});

test("H16 when the n-th commit was applied but its answer is lost, no record is lost or written twice", async () => {
  for (let nth = 1; nth < 10; nth++) expect(await finishElsewhere(await startWithFault(nth, "after"))).toEqual(sound);
});

const sound = { status: "completed", output: { sum: 12 }, prefixKept: true, endsTwice: [], lastSeqIsLast: true };

/** Closes the engine, resumes what is left to do in another, and says how the journal looks in the end. */
async function finishElsewhere({
  store,
  backend,
  engine,
}: Awaited<ReturnType<typeof startWithFault>>): Promise<object> {
  const durable = [...backend.recordsOf("r")];
  await engine.close();
  const next = await open({ backend: store.another(), graphs: [flow] });
  await Promise.all(next.recovered.map((handle) => handle.result()));
  const info = await next.get("r");
  await next.close();
  const reader = store.another();
  await reader.open("reader");
  const { records } = await recordingOf(reader, "r");
  await reader.close();
  const all = ends(records);
  return {
    status: info?.status,
    output: info?.output,
    prefixKept: JSON.stringify(records.slice(0, durable.length)) === JSON.stringify(durable),
    endsTwice: all.filter((end, at) => all.indexOf(end) !== at),
    lastSeqIsLast: info?.lastSeq === records.length,
  };
}

test("H16 a run whose commit has an unknown outcome does not hang about: it goes on by itself, or the same engine can resume it", async () => {
  for (const when of ["before", "after"] as const) {
    const { engine, told } = await startWithFault(2, when);
    const result = told instanceof Error ? await (await engine.resume("r")).result() : told;
    expect(result).toEqual((await undisturbed(flow, input)).result);
  }
});

test("H13 a row holds whole steps: a dropped item stands with the frame that caused it, the end with the record that brought it", async () => {
  const hold = new Promise<void>((resolve) => setTimeout(resolve, 20));
  const slow = op("slow", async ({ k }: { k: number }) => {
    if (k === 0) await hold;
    return { k };
  });
  const dropping = graph("dropping", (i: Ref<{ n: number }>) => ({
    all: collect(slow({ k: numbers({ n: i.n }).k }, { buffer: 2, onFull: "dropOldest" }).k),
  }));
  const backend = new Faulty(memory(), { before: () => new Promise((resolve) => setImmediate(resolve)) });
  const engine = await open({ backend });
  await engine.run(dropping, { n: 12 }, { id: "r" });
  await engine.run(flow, input, { id: "plain" });
  const firsts = backend.appends.map(({ row }) => recordsIn(row)[0]?.[0]);
  expect(backend.recordsOf("r").filter(([kind]) => kind === 5).length).toBeGreaterThan(5);
  expect(firsts).not.toContain(5);
  expect(firsts).not.toContain(9);
});

test("H17 twenty appends of one epoch at one place in a real SQLite file: one is written, the others are told that they lost, and the run reads back whole", async () => {
  const backend = sqlite(join(folder(), "runs.db"));
  const engine = await open({ backend, graphs: [flow] });
  await engine.run(flow, input, { id: "done" });
  const first = packRow(["[0,{}]"], 1, 0);
  await backend.create({ id: "r", graph: "none", fingerprint: "f", createdAt: 1, first });
  const tries = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      backend.append({ runId: "r", epoch: 1, row: packRow([`[8,${i}]`], 2, first.chain), at: 1 }),
    ),
  );
  expect(tries.filter(({ type }) => type === "ok")).toHaveLength(1);
  const rows = await rowsOf(backend, "r");
  expect(rows.map(({ firstSeq, count }) => [firstSeq, count])).toEqual([
    [1, 1],
    [2, 1],
  ]);
  expect(await backend.get("r")).toMatchObject({ lastSeq: 2, chain: rows[1]?.chain });
});

test("H17 a writer whose run was taken over is told LeaseLost, its bodies are aborted and nothing of it is recorded any more", async () => {
  const store = memory();
  const aborted: string[] = [];
  let go = (): void => undefined;
  const going = new Promise<void>((resolve) => (go = resolve));
  const body = op("body", async ({ n }: { n: number }, ctx) => {
    ctx.signal.addEventListener("abort", () => aborted.push("body"));
    await going;
    return { n };
  });
  const other = op("other", async ({ n }: { n: number }, ctx) => {
    ctx.signal.addEventListener("abort", () => aborted.push("other"));
    await new Promise(() => undefined);
    return { n };
  });
  const both = graph("both", (i: Ref<{ n: number }>) => ({ a: body({ n: i.n }).n, b: other({ n: i.n }).n }));
  const backend = new Faulty(store);
  const engine = await open({ backend });
  const handle = await engine.start(both, { n: 1 }, { id: "r" });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await store.abandon();
  const thief = store.another();
  await thief.open("thief");
  expect(await thief.claim({ runId: "r", statuses: ["running"], limit: 1, at: 1 })).toHaveLength(1);
  go();
  await expect(handle.result()).rejects.toMatchObject({
    code: "LeaseLost",
    message: expect.stringContaining("epoch 2"),
  });
  expect(aborted).toEqual(["other"]);
  expect((await thief.get("r"))?.lastSeq).toBe(1);
  await thief.close();
});
