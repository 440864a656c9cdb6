/**
 * H24: a process that read a journal while another one compacted it came to rows that were gone, and took that for damage:
 * `JournalCorrupt`, from engines that took the run up, from checks, exports and readers.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import {
  checkRuns,
  collect,
  compareRuns,
  derive,
  exportRuns,
  graph,
  interrupt,
  loop,
  memory,
  op,
  type Backend,
  type Engine,
  type JournalRow,
  type Ref,
} from "../../src/index.ts";
import { WrappedBackend } from "../../src/backends/wrapped.ts";
import { compactFreely } from "../../src/journal/compact/compact-run.ts";
import { open } from "../acceptance/support/engines.ts";

const step = op("step", { async: true }, async ({ n }: { n: number }) => ({ n: n + 1 }));
const flow = graph("flow", (input: Ref<{ to: number }>) => {
  const sum = loop("turns", { max: 100 }, { n: 0 }, (state) => {
    const next = step({ n: state.n });
    return { next: { n: next.n }, until: derive([next.n, input.to] as const, ([n, to]) => n >= to) };
  });
  return { n: sum.n, ok: interrupt("sure", { n: sum.n }, { answer: z.boolean() }) };
});

/** Reads page by page, a row each, as databases do; `between` happens once, behind the third one. */
class Paged extends WrappedBackend {
  between: (() => Promise<unknown>) | null = null;

  override async *read(runId: string, fromSeq = 1): AsyncIterable<JournalRow> {
    for (let from = fromSeq, rows = 0; ; rows++) {
      const row = await first(this.inner.read(runId, from));
      if (row === undefined) return;
      yield row;
      from = row.firstSeq + row.count;
      if (rows !== 2 || this.between === null) continue;
      const { between } = this;
      this.between = null;
      await between();
    }
  }
}

async function first(rows: AsyncIterable<JournalRow>): Promise<JournalRow | undefined> {
  for await (const row of rows) return row;
  return undefined;
}

/** A run that rests, and a store of it that is compacted as soon as somebody reads it. */
async function resting(): Promise<Paged> {
  const store = memory();
  const engine = await open({ backend: store, graphs: [flow], snapshots: { after: 1, share: Infinity } });
  await (await engine.start(flow, { to: 10 }, { id: "run" })).result();
  const paged = new Paged(store.another());
  // Whoever compacts a run looked for its owner before: somebody may have taken it up since.
  paged.between = () => compactFreely(store, "run");
  return paged;
}

async function opened(): Promise<Backend> {
  const paged = await resting();
  await paged.open("reader");
  return paged;
}

test("H24 an engine that reads all records goes on with the run all the same", async () => {
  const backend = await resting();
  const engine = await open({ backend, graphs: [flow], snapshots: false, observer: {} });
  const handle = await engine.answer("run", "sure", true);
  expect(await handle.output()).toEqual({ n: 10, ok: true });
});

test("H24 what is told of it, checks and exports are of the run as it is", async () => {
  const told = await open({ backend: await resting(), graphs: [flow] });
  expect(await told.get("run")).toMatchObject({ status: "interrupted", finished: { "turns/step": 10 } });
  await checkRuns(await opened(), { found: (problem) => expect.unreachable(JSON.stringify(problem)) });
  expect((await Array.fromAsync(exportRuns(await opened()))).length).toBeGreaterThan(3);
});

const readers: readonly (readonly [string, (engine: Engine, backend: Backend) => Promise<unknown>])[] = [
  ["history", (engine) => Array.fromAsync(engine.history("run"))],
  ["a state", (engine) => engine.stateAt("run", 8)],
  ["a fork", (engine) => engine.fork("run", { patch: { input: { to: 3 } } })],
  ["a stream", async (engine) => Array.fromAsync(await engine.stream("run", "tasks"))],
  ["a comparison", (_, backend) => compareRuns(backend, "run", "run")],
];

test.each(readers)("H24 %s that needs what is gone answers HistoryCompacted", async (_, read) => {
  const backend = await resting();
  const engine = await open({ backend, graphs: [flow] });
  await expect(read(engine, backend)).rejects.toMatchObject({ code: "HistoryCompacted" });
});

test("H24 damage behind the floor stays damage", async () => {
  const backend = await resting();
  const engine = await open({ backend, graphs: [flow] });
  await Array.fromAsync(engine.history("run")).catch(() => undefined);
  const { inner } = backend;
  backend.read = async function* (runId, from) {
    for await (const row of inner.read(runId, from))
      if (row.firstSeq === 1) yield row;
      else yield { ...row, chain: row.chain + 1 };
  };
  const damaged = { code: "JournalCorrupt" };
  await expect(engine.get("run")).rejects.toMatchObject(damaged);
  const { lastSeq = 0 } = (await backend.get("run")) ?? {};
  await expect(Array.fromAsync(engine.history("run", { from: lastSeq }))).rejects.toMatchObject(damaged);
});

test("H24 a generator that is compared with the items it gave goes on when its run is compacted meanwhile", async () => {
  const store = memory();
  const items = Array.from({ length: 12 }, (_, i) => i);
  let begin: (() => void) | null = null;
  const give = op("give", async function* (_input: { n: number }) {
    const isFirst = begin === null;
    begin?.();
    for (const i of items) {
      if (isFirst && i === 8) await new Promise(() => undefined);
      yield { i };
    }
  });
  const giving = graph("giving", (input: Ref<{ n: number }>) => {
    const one = step({ n: input.n });
    const two = step({ n: one.n }, { name: "two" });
    const three = step({ n: two.n }, { name: "three" });
    return { is: collect(give({ n: three.n }).i) };
  });
  const snapshots = { after: 1, share: Infinity };
  const first = await open({ backend: store, graphs: [giving], snapshots });
  (await first.start(giving, { n: 1 }, { id: "run" })).result().catch(() => undefined);
  const framed = async (): Promise<number> =>
    (await Array.fromAsync(first.history("run"))).filter(({ kind }) => kind === "frame").length;
  await expect.poll(framed).toBe(8);
  await store.abandon();
  const backend = new Paged(store.another());
  let compacted: unknown = null;
  begin = () => {
    backend.between = async () => (compacted = await compactFreely(backend.inner, "run"));
  };
  const next = await open({ backend, graphs: [giving], snapshots });
  const [handle] = next.recovered;
  expect(await handle?.output()).toEqual({ is: items });
  expect(compacted).toMatchObject({ records: expect.any(Number) as number });
  expect((await next.get("run"))?.finished).toMatchObject({ give: 1 });
});
