/** What turns of a thread cost: bytes that are written and read, not time. */
import { expect, onTestFinished, test } from "vitest";
import {
  append,
  checkRuns,
  compareRuns,
  last,
  memory,
  stateGraph,
  WrappedBackend,
  type Append,
  type AppendResult,
  type Backend,
  type CarriedRow,
  type CreateResult,
  type NewRun,
} from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import { temporaryFolder } from "../node/temporary-folder.ts";
import { open } from "./support/engines.ts";

/** Counts what goes to the backend and what comes of its threads, in bytes. */
class Weighed extends WrappedBackend {
  written = 0;
  /** Of these, as whole rows of the thread. */
  whole = 0;
  /** Of threads. */
  read_ = 0;

  override async carried(...asked: Parameters<WrappedBackend["carried"]>): Promise<CarriedRow[]> {
    const rows = await super.carried(...asked);
    this.read_ += sum(rows.map(({ bytes }) => bytes.byteLength));
    return rows;
  }

  override async create(run: NewRun): Promise<CreateResult> {
    this.written += run.first.bytes.byteLength;
    return super.create(run);
  }

  override async append(request: Append): Promise<AppendResult> {
    this.written += request.row.bytes.byteLength + (request.carry?.bytes.byteLength ?? 0);
    if (request.carry?.whole === true) this.whole += request.carry.bytes.byteLength;
    return super.append(request);
  }

  override async putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    this.written += bytes.byteLength;
    return super.putBlob(hash, bytes);
  }
}

const agent = stateGraph("agent", {
  state: { messages: append<string>(), last: last("") },
  nodes: ["answer"],
})
  .node("answer", ({ messages }, to) => to.write({ last: `of ${messages.length}` }))
  .compile();

const said = (turn: number): string => `${turn} `.repeat(1_000).slice(0, 1_000);

/** Bytes that each turn wrote. */
async function turns(backend: Backend, count: number): Promise<{ readonly written: number[]; readonly whole: number }> {
  const weighed = new Weighed(backend);
  const engine = await open({ backend: weighed });
  const written: number[] = [];
  for (let turn = 0; turn < count; turn++) {
    const before = weighed.written;
    const { messages } = await engine.run(agent, { messages: said(turn) }, { thread: "t", id: `r${turn}` });
    expect(messages.length).toBe(turn + 1);
    written.push(weighed.written - before);
  }
  await engine.close();
  return { written, whole: weighed.whole };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

test("S14 two hundred turns of 1 kB on one thread write less than three times what was said, and the last no more than the second", async () => {
  const { written, whole } = await turns(memory(), 200);
  expect(sum(written) / 200_000).toBeLessThan(3);
  expect(written[199]! / written[1]!).toBeLessThan(1.1);
  expect(whole).toBeLessThan(2_000);
});

test("S14 turn 200 of a thread reads no more of it than turn 2, and what another engine said meanwhile", async () => {
  const store = memory();
  const weighed = new Weighed(store);
  const engine = await open({ backend: weighed });
  const other = await open({ backend: store.another() });
  const read: number[] = [];
  const turn = async (by: typeof engine, text: string, id: string): Promise<readonly string[]> =>
    (await by.run(agent, { messages: text }, { thread: "t", id })).messages;
  for (let n = 0; n < 200; n++) {
    const already = weighed.read_;
    expect((await turn(engine, said(n), `r${n}`)).length).toBe(n + 1);
    read.push(weighed.read_ - already);
  }
  expect(read[199]! / read[2]!).toBeLessThan(1.1);
  await turn(other, "other", "o");
  expect((await turn(engine, "mine", "m")).slice(-3)).toEqual([said(199), "other", "mine"]);
});

test("a thread that was deleted and begun anew elsewhere, with the same ids and last words, is not taken for the old one", async () => {
  const store = memory();
  const engine = await open({ backend: store });
  const other = await open({ backend: store.another() });
  const talk = async (by: typeof engine, texts: readonly string[]): Promise<void> => {
    for (const [n, text] of texts.entries()) await by.run(agent, { messages: text }, { thread: "t", id: `r${n}` });
  };
  await talk(engine, ["old", "same", "same"]);
  await other.deleteThread("t");
  await talk(other, ["new", "same", "same"]);
  expect((await engine.run(agent, { messages: "next" }, { thread: "t" })).messages).toEqual([
    "new",
    "same",
    "same",
    "next",
  ]);
});

test("S14 what an overwritten field costs does not grow either", async () => {
  const weighed = new Weighed(memory());
  const engine = await open({ backend: weighed });
  const summary = stateGraph("summary", { state: { text: last("") }, nodes: ["keep"] })
    .node("keep", () => [])
    .compile();
  for (let turn = 0; turn < 100; turn++) await engine.run(summary, { text: said(turn) }, { thread: "t" });
  expect(weighed.written / 100_000).toBeLessThan(3.2);
  const rows = await weighed.carried("t");
  expect(rows[0]?.whole).toBe(true);
  expect(sum(rows.map(({ bytes }) => bytes.byteLength))).toBeLessThan(12_000);
});

test("S14 a file of SQLite grows by as much with the third ten turns as with the second", async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const sizes: number[] = [];
  const engine = await open({ backend: sqlite(`${folder.path}/app.db`), durability: "exit" });
  const reader = sqlite(`${folder.path}/app.db`);
  await reader.open("reader");
  onTestFinished(() => reader.close());
  for (let turn = 0; turn < 30; turn++) {
    await engine.run(agent, { messages: said(turn) }, { thread: "t" });
    if (turn % 10 !== 9) continue;
    const { journalBytes, blobBytes } = await reader.stats();
    sizes.push(journalBytes + blobBytes + sum((await reader.carried("t")).map((row) => row.bytes.byteLength)));
  }
  const [first, second, third] = sizes as [number, number, number];
  expect((third - second) / (second - first)).toBeLessThan(1.05);
  expect((third - second) / 10_000).toBeLessThan(3);
});

test("an output that its thread carries is told by every reader as it was, by its place in the thread", async () => {
  const store = memory();
  const graph = stateGraph("mixed", {
    state: {
      all: append<string>(),
      view: { init: [], reduce: (list: number[], n: number) => [...list, n], view: sumOf },
    },
    nodes: ["count"],
  })
    .node("count", ({ all }, to) => to.write({ view: all.length }))
    .compile();
  const engine = await open({ backend: store });
  const outputs: unknown[] = [];
  for (const id of ["a", "b", "c"]) outputs.push(await engine.run(graph, { all: id }, { thread: "t", id }));
  expect(outputs[1]).toEqual({ all: ["a", "b"], view: 3 });
  const other = await open({ backend: store.another() });
  const got = await Promise.all(["a", "b", "c"].map(async (id) => (await other.get(id))?.output));
  expect(got).toEqual(outputs);
  const ended = (await Array.fromAsync(other.history("b"))).at(-1);
  expect(ended).toMatchObject({ kind: "ended", value: outputs[1] });
  const large = (await Array.fromAsync(other.history("b", { blobs: false }))).at(-1);
  expect([large?.large, large !== undefined && "value" in large]).toEqual([true, false]);
  const reader = store.another();
  await reader.open("reader");
  const { differences } = await compareRuns(reader, "a", "b", {});
  const ends = (await Array.fromAsync(differences)).filter(({ what }) => what === "end");
  expect(ends).toMatchObject([{ a: { value: outputs[0] }, b: { value: outputs[1] } }]);
});

function sumOf(list: readonly number[]): number {
  return list.reduce((all, one) => all + one, 0);
}

test("it is told when the runs before it are pruned, and a row that is missing is named", async () => {
  const store = memory();
  const engine = await open({ backend: store });
  const graph = stateGraph("kept", { state: { text: last("") }, nodes: ["keep"] })
    .node("keep", () => [])
    .compile();
  const texts = Array.from({ length: 12 }, (_, turn) => said(turn));
  for (const [turn, text] of texts.entries()) await engine.run(graph, { text }, { thread: "t", id: `r${turn}` });
  const backend = store.another();
  await backend.open("pruner");
  const { endedAt } = (await backend.get("r10"))!;
  await backend.prune({ endedBefore: endedAt! + 1, limit: 11, blobsBefore: 0 });
  expect((await engine.list()).map(({ id }) => id)).toEqual(["r11"]);
  expect((await engine.get("r11"))?.output).toEqual({ text: texts[11] });
  const problems: unknown[] = [];
  expect(await checkRuns(backend, { found: (one) => problems.push(one) })).toEqual({ runs: 1, problems: 0 });
  class Without extends WrappedBackend {
    override async carried(): Promise<CarriedRow[]> {
      return [];
    }
  }
  const reader = await open({ backend: new Without(store.another()) });
  await expect(reader.get("r11")).rejects.toMatchObject({
    code: "JournalCorrupt",
    message: expect.stringMatching(/carries is missing/),
  });
});
