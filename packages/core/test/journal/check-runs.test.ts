import { expect, test } from "vitest";
import { z } from "zod";
import {
  checkRuns,
  derive,
  graph,
  interrupt,
  memory,
  op,
  openEngine,
  WrappedBackend,
  type Backend,
  type JournalRow,
  type Ref,
  type RunProblem,
  type RunRow,
} from "../../src/index.ts";
import { packRow } from "../../src/journal/rows.ts";

const double = op("double", async ({ x }: { x: number }) => ({ y: 2 * x }));
const doubled = graph("doubled", (input: Ref<{ x: number }>) => ({ y: double({ x: input.x }).y }));
const large = op("large", async ({ n }: { n: number }) => ({ text: "x".repeat(n) }));
const wide = graph("wide", (input: Ref<{ n: number }>) => ({
  length: derive(large(input).text, (text) => text.length),
}));
const asks = graph("asks", () => ({
  ok: interrupt("ask", { why: "?" }, { answer: z.object({ ok: z.boolean() }) }).ok,
}));

async function problemsOf(backend: Backend): Promise<RunProblem[]> {
  const problems: RunProblem[] = [];
  const { problems: count } = await checkRuns(backend, { found: (problem) => problems.push(problem) });
  expect(count).toBe(problems.length);
  return problems.toSorted((a, b) => (a.runId < b.runId ? -1 : 1));
}

/** A store with runs of every kind, none of them wrong, and a handle on it that owns none of them. */
async function healthy(): Promise<Backend> {
  const store = memory();
  const engine = await openEngine({ backend: store, warn: () => undefined });
  await engine.run(doubled, { x: 1 }, { id: "completed" });
  await engine.run(wide, { n: 100_000 }, { id: "blob" });
  await (await engine.start(asks, undefined, { id: "asking" })).result();
  await engine.close();
  const backend = store.another();
  await backend.open("looker");
  return backend;
}

/** What is read is another than what is there. */
class Damaged extends WrappedBackend {
  row: (row: RunRow) => RunRow = (row) => row;
  journal: (row: JournalRow, runId: string) => JournalRow | undefined = (row) => row;

  override async list(filter?: Parameters<Backend["list"]>[0]): Promise<RunRow[]> {
    return (await this.inner.list(filter)).map((row) => this.row(row));
  }

  override async get(id: string): Promise<RunRow | undefined> {
    const row = await this.inner.get(id);
    return row === undefined ? undefined : this.row(row);
  }

  override async *read(runId: string): AsyncGenerator<JournalRow, void, undefined> {
    for await (const row of this.inner.read(runId)) {
      const read = this.journal(row, runId);
      if (read !== undefined) yield read;
    }
  }
}

const of =
  (id: string, change: (row: RunRow) => Partial<RunRow>) =>
  (row: RunRow): RunRow =>
    row.id === id ? { ...row, ...change(row) } : row;

test("nothing is found where nothing is wrong, and every run is looked at", async () => {
  const backend = await healthy();
  const looked: number[] = [];
  const found = (problem: RunProblem): void => expect.fail(problem.detail);
  expect(await checkRuns(backend, { found, checked: (n) => looked.push(n) })).toEqual({ runs: 3, problems: 0 });
  expect(looked).toEqual([1, 2, 3]);
  expect(await checkRuns(backend, { found, filter: { graph: "asks" } })).toEqual({ runs: 1, problems: 0 });
});

test("H20 a changed byte, a missing row and a shortened journal are found, each in its run", async () => {
  const backend = new Damaged(await healthy());
  backend.journal = (row, runId) => {
    if (runId === "completed")
      return row.firstSeq === 1 ? { ...row, bytes: row.bytes.map((b, i) => (i === 9 ? b ^ 1 : b)) } : row;
    if (runId === "blob") return row.firstSeq === 1 ? undefined : row;
    return row.firstSeq === 1 ? row : undefined;
  };
  const problems = await problemsOf(backend);
  expect(problems.map(({ runId, kind, requeue }) => [runId, kind, requeue])).toEqual([
    ["asking", "journal", false],
    ["blob", "journal", false],
    ["completed", "journal", false],
  ]);
  expect(problems[0]!.detail).toMatch(/the journal ends at record 1, and the run row says/);
  expect(problems[1]!.detail).toMatch(/record 1 is missing/);
  expect(problems[2]!.detail).toMatch(/does not match its checksum/);
  for (const { hint } of problems) expect(hint).toContain("backup");
});

test("I12 a row that says something else than its journal is found", async () => {
  const backend = new Damaged(await healthy());
  backend.row = of("completed", () => ({ status: "failed" }));
  expect(await problemsOf(backend)).toMatchObject([
    { runId: "completed", kind: "journal", detail: expect.stringContaining("status failed") as string },
  ]);
  backend.row = of("completed", () => ({ fingerprint: "another" }));
  expect(await problemsOf(backend)).toMatchObject([{ runId: "completed", kind: "journal" }]);
});

test("a blob that a record names and nobody has is found", async () => {
  const backend = await healthy();
  const without = new (class extends WrappedBackend {
    override getBlob(): Promise<undefined> {
      return Promise.resolve(undefined);
    }
  })(backend);
  expect(await problemsOf(without)).toMatchObject([
    { runId: "blob", kind: "journal", detail: expect.stringMatching(/the blob [0-9a-f]{64} .* is missing/) as string },
  ]);
});

test("I7 an interrupted run that nothing wakes is found, and queuing it mends that", async () => {
  const store = memory();
  const backend = store.another();
  await backend.open("looker");
  const engine = await openEngine({ backend: store });
  await engine.run(doubled, { x: 1 }, { id: "run" });
  const rows: JournalRow[] = [];
  for await (const row of backend.read("run")) rows.push(row);
  const [started] = JSON.parse(new TextDecoder().decode(rows[0]!.bytes)) as unknown[];
  const rest = '[9,{"status":"interrupted","errors":[],"at":1}]';
  const first = packRow([JSON.stringify(started), rest], 1, 0);
  const { owner: _, ...ended } = (await backend.get("run"))!;
  const row: RunRow = {
    ...ended,
    owner: null,
    id: "asleep",
    status: "interrupted",
    endedAt: null,
    lastSeq: 2,
    chain: first.chain,
  };
  await backend.restore({ row, journal: [first], notes: [], carried: [], blobs: [] });
  const [problem] = await problemsOf(backend);
  expect(problem).toMatchObject({ runId: "asleep", kind: "asleep", requeue: true });
  expect(await backend.requeue("asleep", 5)).toBe(true);
  expect(await problemsOf(backend)).toEqual([]);
  await engine.close();
});

test("I7 a note that a resting run did not take up is found, and so is a run whose engine died", async () => {
  const dead = memory();
  const engine = await openEngine({ backend: dead });
  await engine.start(
    graph("never", () => ({ x: op("wait", async () => new Promise<{ y: 1 }>(() => undefined))({}).y })),
    undefined,
    { id: "orphan" },
  );
  await (await engine.start(asks, undefined, { id: "asking" })).result();
  const backend = dead.another();
  await backend.open("looker");
  expect(await problemsOf(backend)).toEqual([]);
  await dead.abandon();
  const note = {
    runId: "asking",
    kind: "answer",
    key: "x",
    bytes: new Uint8Array(1),
    by: "ann",
    at: 1,
    wakes: [],
  } as const;
  expect((await backend.post(note)).type).toBe("posted");
  expect(await problemsOf(backend)).toMatchObject([
    { runId: "asking", kind: "unread", detail: expect.stringContaining("answer by ann") as string },
    { runId: "orphan", kind: "orphaned", status: "running" },
  ]);
  await engine.close();
});

test("B11 more runs of one moment than a portion holds are all looked at, each once", async () => {
  const backend = memory();
  await backend.open("a");
  const first = packRow(
    ['[0,{"format":1,"graph":"g","fingerprint":"f","nodes":[],"input":null,"errors":"record","at":1}]'],
    1,
    0,
  );
  for (let i = 0; i < 1_203; i++)
    await backend.create({ id: `r${i}`, graph: "g", fingerprint: "f", createdAt: i < 3 ? i : 7, first });
  let looked = 0;
  expect(
    await checkRuns(backend, { found: ({ detail }) => expect.fail(detail), checked: () => (looked += 1) }),
  ).toEqual({ runs: 1_203, problems: 0 });
  expect(looked).toBe(1_203);
});
