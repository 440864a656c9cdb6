/** R25 B11: what a thread carried on before its last whole row stayed for ever, whatever was pruned. */
import { expect, test } from "vitest";
import {
  append,
  cell,
  exportRuns,
  graph,
  importRuns,
  interrupt,
  memory,
  op,
  push,
  read,
  WrappedBackend,
  type CarriedRow,
  type Ref,
} from "../../src/index.ts";
import { z } from "zod";
import { allCarried } from "../../src/journal/carry/all-carried.ts";
import { open } from "../acceptance/support/engines.ts";

const said = cell("said", append<string>(), { carry: true });
const count = op("count", ({ said }: { said: readonly string[] }) => ({ n: said.length }));
const turn = graph("turn", (input: Ref<{ text: string }>) => {
  const heard = push(said, input.text);
  return { n: count({ said: read(said, { after: [heard] }) }).n };
});
const asks = graph("asks", (input: Ref<{ text: string }>) => {
  const heard = push(said, input.text);
  const { n } = count({ said: read(said, { after: [heard] }) });
  return { n, sure: interrupt("sure", { n }, { answer: z.boolean() }) };
});

const thread = "t";
const everything = { endedBefore: 9e12, limit: 1_000, blobsBefore: 0 };

test("a thread of many turns keeps what its next one needs, and what its runs that are left are read from", async () => {
  const backend = memory();
  const engine = await open({ backend, graphs: [turn, asks] });
  // A thousand turns that say little: a whole row every so many.
  for (let i = 0; i < 1_000; i++) await engine.run(turn, { text: `${i % 10}` }, { thread });
  const before = await allCarried(backend, thread);
  expect(before).toHaveLength(1_000);
  const handle = await engine.start(asks, { text: "last" }, { id: "rests", thread });
  await handle.result();
  expect(await backend.prune(everything)).toMatchObject({ runs: 1_000 });
  const rows = await allCarried(backend, thread);
  expect(rows.length).toBeLessThanOrEqual(201);
  expect(rows).toEqual(before.slice(-rows.length));
  expect((await engine.carried(thread))["said"]).toHaveLength(1_000);

  const archive: string[] = [];
  for await (const line of exportRuns(backend)) archive.push(line);
  const elsewhere = memory();
  const second = await open({ backend: elsewhere.another(), graphs: [turn, asks] });
  await elsewhere.open("import");
  expect(
    await importRuns(elsewhere, async function* () {
      yield* archive;
    }),
  ).toEqual({ imported: ["rests"], present: [] });
  expect(await allCarried(elsewhere, thread)).toEqual(rows);
  for (const each of [engine, second]) {
    const run = await each.answer("rests", "sure", true);
    expect(await run.output()).toEqual({ n: 1_001, sure: true });
    const fork = await each.fork("rests", { at: 1 });
    await fork.result();
    await fork.answer("sure", false);
    expect(await fork.output()).toEqual({ n: 1_001, sure: false });
    expect(await each.run(turn, { text: "more" }, { thread })).toEqual({ n: 1_002 });
  }
});

test("what a run is read from and is not there is named, not taken for nothing said", async () => {
  class Holes extends WrappedBackend {
    without: readonly number[] = [];

    override async carried(name: string, upTo?: number): Promise<CarriedRow[]> {
      return (await super.carried(name, upTo)).filter(({ n }) => !this.without.includes(n));
    }
  }
  const store = memory();
  const first = await open({ backend: store, graphs: [turn] });
  for (const text of ["a", "b", "c"]) await first.run(turn, { text }, { thread });
  // One that has read nothing of the thread yet.
  const backend = new Holes(store.another());
  const engine = await open({ backend, graphs: [turn] });
  const rows = (await backend.carried(thread)).map(({ n }) => n);
  expect(rows).toEqual([1, 2, 3]);
  for (const missing of [1, 2]) {
    backend.without = [missing];
    await expect(engine.carried(thread)).rejects.toMatchObject({ code: "JournalCorrupt" });
    await expect(engine.run(turn, { text: "d" }, { thread })).rejects.toMatchObject({ code: "JournalCorrupt" });
  }
});
