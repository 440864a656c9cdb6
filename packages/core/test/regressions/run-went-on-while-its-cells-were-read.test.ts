/**
 * Whoever waited for a run of another engine saw its row at rest, and then read its journal for the cells. The run went on in
 * between: its journal, longer than the row had said, was called damaged.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import { append, cell, graph, interrupt, memory, op, push, WrappedBackend } from "../../src/index.ts";
import type { JournalRow, Ref } from "../../src/index.ts";
import { planOf } from "../../src/build/plan-of.ts";
import { rebuildRun } from "../../src/journal/rebuild.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually, gate } from "../acceptance/support/gate.ts";

/** Something happens before the reading with that number, from 1. */
class Overtaken extends WrappedBackend {
  #left = 0;
  #happens: () => Promise<unknown> = () => Promise.resolve();

  before(reading: number, happens: () => Promise<unknown>): void {
    this.#left = reading;
    this.#happens = happens;
  }

  override async *read(runId: string, fromSeq?: number): AsyncIterable<JournalRow> {
    if (--this.#left === 0) await this.#happens();
    yield* this.inner.read(runId, fromSeq);
  }
}

const said = cell("said", append<number>());
const answered = cell("answered", append<number>());

test("I12 a run that goes on elsewhere while its cells are read is told of as its row stood", async () => {
  const door = gate();
  const slow = op("slow", async () => {
    await door.opened;
    return { n: 1 };
  });
  const asks = graph("asks", (_input: Ref<{}>) => {
    const early = interrupt("early", {}, { answer: z.number() });
    push(said, early);
    const answer = interrupt("ask", { first: slow({}).n }, { answer: z.number() });
    push(answered, answer);
    return { answer };
  });
  const store = memory();
  const owner = await open({ backend: store, graphs: [asks] });
  await owner.start(asks, {}, { id: "run" });
  await eventually("the question is durable", async () => (await owner.get("run"))?.interrupts.length === 1);
  const backend = new Overtaken(store.another());
  const engine = await open({ backend, graphs: [asks], recover: false });
  const handle = await engine.answer("run", "early", 1);
  // The one before it finds out what the run asks.
  backend.before(2, async () => {
    const goesOn = await owner.answer("run", "ask", 2);
    expect(await goesOn.result()).toMatchObject({ status: "completed" });
  });
  await eventually("its answer is taken up", async () => (await owner.get("run"))?.answered.length === 1);
  const told = handle.result();
  door.open();
  const asked = { status: "interrupted", interrupts: [{ node: "ask" }], cells: { said: [1], answered: [] } };
  expect(await told).toMatchObject(asked);
  expect(await handle.result()).toMatchObject({ status: "completed", cells: { said: [1], answered: [2] } });
});

test("I2 whoever owns a run is told that its journal is longer than its row says", async () => {
  const plain = graph("plain", () => ({ n: op("one", () => ({ n: 1 }))({}).n }));
  const store = memory();
  const engine = await open({ backend: store, graphs: [plain] });
  await (await engine.start(plain, {}, { id: "run" })).result();
  const row = (await store.get("run"))!;
  const before: typeof row = { ...row, lastSeq: row.lastSeq - 1 };
  const options = { allowGraphChange: false, owned: true, probe: null, check: null };
  await expect(rebuildRun(store, before, planOf(plain), options)).rejects.toThrow(`the run row says ${before.lastSeq}`);
});
