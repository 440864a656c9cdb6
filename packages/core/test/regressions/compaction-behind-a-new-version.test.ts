/**
 * H24 H35: a run that went on with a new version of its graph was compacted to a snapshot of the old one, which no version
 * that may drive it can be used with: it could never go on again. And questions that it had asked before were kept as the old
 * version counted its nodes: of a compacted run an answered one was open, and an open one was nowhere.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import {
  checkRuns,
  graph,
  interrupt,
  memory,
  op,
  openQuestions,
  type Backend,
  type Graph,
  type Ref,
} from "../../src/index.ts";
import { WrappedBackend } from "../../src/backends/wrapped.ts";
import { open } from "../acceptance/support/engines.ts";

class Damaged extends WrappedBackend {
  readonly #hashes: readonly string[];

  constructor(inner: Backend, hashes: readonly string[]) {
    super(inner);
    this.#hashes = hashes;
  }

  override async getBlob(hash: string): Promise<Uint8Array | undefined> {
    return this.#hashes.includes(hash) ? new Uint8Array(1) : super.getBlob(hash);
  }
}

const always = { after: 1, share: Infinity };
const sure = { answer: z.boolean() };
const step = op("step", ({ n }: { n: number }) => ({ n: n + 1 }));

const before = graph("flow", (input: Ref<{ n: number }>) => {
  const first = interrupt("first", { n: input.n }, sure);
  const { n } = step({ n: input.n });
  const last = interrupt("last", { n }, sure);
  return { n, first, last };
});

/** With a node more, and before all others. */
const after = graph(
  "flow",
  { migrate: [{ from: before.plan.fingerprint, rename: { last: "final" } }] },
  (input: Ref<{ n: number }>) => {
    const added = step({ n: input.n }, { name: "added" });
    const first = interrupt("first", { n: input.n }, sure);
    const { n } = step({ n: input.n });
    const last = interrupt("final", { n }, sure);
    const sum = step({ n: added.n }, { name: "sum", after: [first] });
    return { n, first, last, sum: sum.n };
  },
);
type Flow = Graph<{ n: number }, unknown>;

async function started(flow: Flow, snapshots: typeof always | false): Promise<ReturnType<typeof memory>> {
  const store = memory();
  const engine = await open({ backend: store, graphs: [flow], snapshots });
  await (await engine.start(flow, { n: 1 }, { id: "run" })).result();
  await engine.close();
  return store;
}

const whole = { n: 2, first: true, last: true, sum: 3 };

test("H24 H35 nothing is compacted to a snapshot of an earlier version of the graph, and the run goes on", async () => {
  const store = await started(before, always);
  const engine = await open({ backend: store.another(), graphs: [after], snapshots: false });
  await (await engine.answer("run", "first", true)).result();
  const { lastSeq } = (await engine.get("run")) ?? {};
  await expect(engine.compact("run")).rejects.toMatchObject({ code: "NotCompactable" });
  expect((await Array.fromAsync(engine.history("run"))).length).toBe(lastSeq);
  expect(await (await engine.answer("run", "final", true)).output()).toEqual(whole);
});

test("H24 H35 a compacted run tells questions of before as they are now, and takes their answers", async () => {
  const store = await started(before, false);
  const engine = await open({ backend: store.another(), graphs: [after], snapshots: always });
  await (await engine.answer("run", "first", true)).result();
  const told = await engine.get("run");
  expect(told?.interrupts).toMatchObject([{ node: "final", path: "flow/last" }]);
  expect((await engine.compact("run")).records).toBeGreaterThan(0);
  expect(await engine.get("run")).toEqual({ ...told, journalBytes: expect.any(Number) as number });
  const reader = store.another();
  await reader.open("reader");
  expect((await openQuestions(reader)).questions).toMatchObject([{ node: "final" }]);
  await checkRuns(reader, { found: (problem) => expect.unreachable(JSON.stringify(problem)) });
  await engine.close();
  const next = await open({ backend: store.another(), graphs: [after], snapshots: always });
  expect(await (await next.answer("run", "final", true)).output()).toEqual(whole);
  expect(await next.get("run")).toMatchObject({ interrupts: [], finished: { ...told?.finished } });
  expect((await next.get("run"))?.answered.map(({ node }) => node)).toEqual(["first", "final"]);
});

test("H24 H35 what an earlier version was compacted to is refused, and stays whole for that one", async () => {
  const store = await started(before, always);
  const engine = await open({ backend: store.another(), graphs: [before], snapshots: false });
  expect((await engine.compact("run")).records).toBeGreaterThan(0);
  await engine.close();
  const next = await open({ backend: store.another(), graphs: [after], snapshots: false });
  await expect(next.resume("run")).rejects.toMatchObject({ code: "HistoryCompacted" });
  await expect(next.fork("run", { patch: { input: { n: 2 } } })).rejects.toMatchObject({ code: "HistoryCompacted" });
  await next.close();
  const last = await open({ backend: store.another(), graphs: [before], snapshots: false });
  await (await last.answer("run", "first", true)).result();
  expect(await (await last.answer("run", "last", true)).output()).toEqual({ n: 2, first: true, last: true });
});

test("H24 a snapshot that is damaged stands for nothing: the records stay, and the run goes on from them", async () => {
  const store = memory();
  const engine = await open({ backend: store, graphs: [before], snapshots: always });
  // Its state is a blob.
  await (await engine.start(before, { n: 1, page: "x".repeat(70_000) } as { n: number }, { id: "run" })).result();
  const records = await Array.fromAsync(engine.history("run"));
  const states = records.flatMap((record) =>
    record.kind === "snapshot" && record.hash !== undefined ? [record.hash] : [],
  );
  expect(states.length).toBeGreaterThan(0);
  await engine.close();
  const other = await open({ backend: new Damaged(store.another(), states), graphs: [], snapshots: false });
  await expect(other.compact("run")).rejects.toMatchObject({ code: "JournalCorrupt" });
  await other.close();
  const next = await open({ backend: store.another(), graphs: [before], snapshots: false });
  expect((await Array.fromAsync(next.history("run"))).length).toBe((await next.get("run"))?.lastSeq);
  await (await next.answer("run", "first", true)).result();
  expect(await (await next.answer("run", "last", true)).output()).toEqual({ n: 2, first: true, last: true });
});
