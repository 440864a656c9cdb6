import { expect, test } from "vitest";
import { z } from "zod";
import {
  collect,
  each,
  graph,
  interrupt,
  memory,
  openEngine,
  openQuestions,
  WrappedBackend,
  type Backend,
  type JournalRow,
  type Ref,
} from "../../src/index.ts";
import { packRow } from "../../src/journal/rows.ts";

const answer = z.object({ ok: z.boolean() });
const asks = graph("asks", () => ({
  ok: interrupt("ask", { why: "?" }, { answer, title: "May I?", timeout: "1h" }).ok,
}));
const poll = graph("poll", (input: Ref<{ names: string[] }>) => ({
  all: collect(interrupt("who", { name: each(input.names) }, { answer }).ok),
}));

/** Runs that ask one after the other, and a handle on their store that owns none of them. */
async function stage(): Promise<{ backend: Backend; start: (id: string, names?: string[]) => Promise<void> }> {
  const store = memory();
  const engine = await openEngine({ backend: store });
  const backend = store.another();
  await backend.open("looker");
  return {
    backend,
    async start(id, names) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const handle =
        names === undefined ? await engine.start(asks, undefined, { id }) : await engine.start(poll, { names }, { id });
      await handle.result();
    },
  };
}

test("questions of all runs come oldest first, with when they were asked and what they are called", async () => {
  const { backend, start } = await stage();
  const from = Date.now();
  await start("a");
  await start("b", ["x", "y"]);
  await start("c");
  const { questions, more } = await openQuestions(backend);
  expect(more).toBe(false);
  expect(questions.map(({ runId, node }) => `${runId} ${node}`)).toEqual(["a ask", "b who", "b who", "c ask"]);
  expect(questions[0]).toMatchObject({ graph: "asks", status: "interrupted", title: "May I?", payload: { why: "?" } });
  expect(questions[0]!.askedAt).toBeGreaterThanOrEqual(from);
  // Its due time is read from the clock right before it is recorded.
  const { due = 0, askedAt } = questions[0]!;
  expect(askedAt + 3_600_000 - due).toBeGreaterThanOrEqual(0);
  expect(askedAt + 3_600_000 - due).toBeLessThan(1_000);
  expect(questions[1]).not.toHaveProperty("title");
});

test("B11 a limit keeps the oldest and says that there are more; a graph chooses", async () => {
  const { backend, start } = await stage();
  await start("a", ["x", "y", "z"]);
  await start("b");
  const { questions, more } = await openQuestions(backend, { limit: 2 });
  expect([questions.map(({ runId }) => runId), more]).toEqual([["a", "a"], true]);
  expect((await openQuestions(backend, { graph: "asks" })).questions.map(({ runId }) => runId)).toEqual(["b"]);
  expect(await openQuestions(backend, { graph: "nobody's" })).toEqual({ questions: [], more: false });
});

test("what is answered is not asked any more, also before its run took that up; engine.get tells by whom it was", async () => {
  const { backend, start } = await stage();
  await start("a");
  const other = await openEngine({ backend: (backend as ReturnType<typeof memory>).another(), recover: false });
  await other.answer("a", "ask", { ok: true }, { by: "ann" });
  expect((await openQuestions(backend)).questions).toEqual([]);
  expect((await other.get("a"))?.interrupts).toHaveLength(1);
  const engine = await openEngine({ backend: (backend as ReturnType<typeof memory>).another(), graphs: [asks] });
  await expect.poll(async () => (await engine.get("a"))?.status).toBe("completed");
  expect((await engine.get("a"))?.answered).toMatchObject([
    { node: "ask", path: "asks/ask", by: "ann", at: expect.any(Number) as number },
  ]);
});

test("a run that cannot be read is told of and left out, or throws", async () => {
  const { backend, start } = await stage();
  await start("a");
  await start("b");
  const damaged = new (class extends WrappedBackend {
    override async *read(runId: string): ReturnType<Backend["read"]> & AsyncGenerator {
      for await (const row of this.inner.read(runId)) yield runId === "a" ? { ...row, chain: 1 } : row;
    }
  })(backend);
  await expect(openQuestions(damaged)).rejects.toMatchObject({ code: "JournalCorrupt" });
  const told: string[] = [];
  const { questions } = await openQuestions(damaged, { damaged: (runId) => told.push(runId) });
  expect([told, questions.map(({ runId }) => runId)]).toEqual([["a"], ["b"]]);
});

test("questions in journals of before this version have the time of their run's row", async () => {
  const { backend, start } = await stage();
  await start("a");
  const old = new (class extends WrappedBackend {
    override async list(): Promise<Awaited<ReturnType<Backend["list"]>>> {
      const { chain, rows } = await without(this.inner);
      return (await this.inner.list()).map((row) => ({
        ...row,
        chain,
        updatedAt: 77,
        lastSeq: rows.at(-1)!.firstSeq + rows.at(-1)!.count - 1,
      }));
    }
    override async *read(): ReturnType<Backend["read"]> & AsyncGenerator {
      yield* (await without(this.inner)).rows;
    }
  })(backend);
  const { questions } = await openQuestions(old);
  expect(questions).toMatchObject([{ runId: "a", askedAt: 77 }]);
  expect(questions[0]).not.toHaveProperty("title");
});

/** The journal as it was written before questions had a time and a title. */
async function without(backend: Backend): Promise<{ chain: number; rows: JournalRow[] }> {
  const rows: JournalRow[] = [];
  let chain = 0;
  for await (const row of backend.read("a")) {
    const records = JSON.parse(new TextDecoder().decode(row.bytes)) as unknown[][];
    const before = records.map((record) => JSON.stringify(record[0] === 13 ? record.slice(0, 6) : record));
    rows.push(packRow(before, row.firstSeq, chain));
    chain = rows.at(-1)!.chain;
  }
  return { chain, rows };
}
