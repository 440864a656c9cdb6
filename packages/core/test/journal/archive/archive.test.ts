import { expect, test } from "vitest";
import { z } from "zod";
import {
  exportRuns,
  graph,
  importRuns,
  interrupt,
  memory,
  op,
  openEngine,
  type Backend,
  type Ref,
} from "../../../src/index.ts";
import { rowsOf } from "../../acceptance/support/journal.ts";

const large = op("large", async ({ n }: { n: number }) => ({ text: `${"x".repeat(n)}\u2028\uFEFF` }));
const wide = graph("wide", (input: Ref<{ n: number }>) => ({ text: large({ n: input.n }).text }));
const asks = graph("asks", (input: Ref<{ who: string }>) => ({
  ok: interrupt("ask", { who: input.who }, { answer: z.object({ ok: z.boolean() }) }).ok,
}));
const twice = graph("twice", () => {
  const answer = z.object({ ok: z.boolean() });
  const first = interrupt("first", {}, { answer });
  return { both: [first.ok, interrupt("second", {}, { answer, after: [first.ok] }).ok] };
});

async function opened(): Promise<Backend> {
  const backend = memory();
  await backend.open("looker");
  return backend;
}

/** Runs that ended and runs that wait, with a blob, notes, labels, and a thread that bytes of any kind were left to. */
async function filled(): Promise<Backend> {
  const store = memory();
  const engine = await openEngine({ backend: store });
  await engine.run(wide, { n: 70_000 }, { id: "wide", labels: { b: "2", a: "1" }, traceId: "t" });
  await engine.run(wide, { n: 70_000 }, { id: "wide-again" });
  await (await engine.start(asks, { who: "ann" }, { id: "asking" })).result();
  const handle = await engine.start(twice, undefined, { id: "half" });
  await handle.result();
  await handle.answer("first", { ok: true }, { by: "bob" });
  await handle.result();
  await engine.close();
  const backend = store.another();
  await backend.open("looker");
  const asking = (await backend.get("asking"))!;
  const left = { runId: "x", whole: false, bytes: new Uint8Array([0, 255, 128, 10]) };
  const restored = await backend.restore({
    row: { ...asking, id: "threaded", thread: "T" },
    journal: await rowsOf(backend, "asking"),
    notes: [],
    carried: [
      { n: 1, ...left, whole: true },
      { n: 2, ...left },
      { n: 3, ...left, whole: true },
    ],
    blobs: [],
  });
  expect(restored).toEqual({ type: "restored" });
  return backend;
}

async function archiveOf(backend: Backend, runs?: readonly string[]): Promise<string[]> {
  return Array.fromAsync(exportRuns(backend, runs === undefined ? {} : { runs }));
}

function from(lines: readonly string[]): () => AsyncIterable<string> {
  return async function* () {
    yield* lines;
  };
}

test("runs go out and come in byte for byte, with notes, labels, blobs and what their thread carries on", async () => {
  const source = await filled();
  const lines = await archiveOf(source);
  const target = await opened();
  const { imported, present } = await importRuns(target, from(lines));
  expect([imported.toSorted(), present]).toEqual([["asking", "half", "threaded", "wide", "wide-again"], []]);
  expect(await archiveOf(target)).toEqual(lines);
  for (const id of imported) {
    expect(await rowsOf(target, id)).toEqual(await rowsOf(source, id));
    expect(await target.get(id)).toEqual(await source.get(id));
    expect(await target.notes(id)).toEqual(await source.notes(id));
  }
  expect(await target.carried("T", 2)).toEqual(await source.carried("T", 2));
  expect(lines.filter((line) => line.startsWith('{"blob"')).length).toBe(1);
  expect(lines.some((line) => line.includes('"base64":"AP+ACg=="'))).toBe(true);
  // Again: nothing is written, and nothing is in the way.
  expect(await importRuns(target, from(lines))).toEqual({ imported: [], present: expect.any(Array) as string[] });
  expect((await target.list()).length).toBe(5);
});

test("an imported run goes on where its graph is", async () => {
  const lines = await archiveOf(await filled(), ["half"]);
  const store = memory();
  const engine = await openEngine({ backend: store, graphs: [twice] });
  const side = store.another();
  await side.open("side");
  await importRuns(side, from(lines));
  const handle = await engine.answer("half", "second", { ok: false });
  expect(await handle.output()).toEqual({ both: [true, false] });
  await engine.close();
});

test("what stands is not written over, and nothing else of that archive comes in", async () => {
  const source = await filled();
  const target = await opened();
  await importRuns(target, from(await archiveOf(source, ["asking"])));
  const other = await opened();
  const asking = (await source.get("asking"))!;
  const half = await rowsOf(source, "half");
  const { chain, lastSeq } = (await source.get("half"))!;
  await other.restore({ row: { ...asking, chain, lastSeq }, journal: half, notes: [], carried: [], blobs: [] });
  const before = await archiveOf(other);
  const lines = await archiveOf(source, ["wide", "asking"]);
  await expect(importRuns(other, from(lines))).rejects.toMatchObject({ code: "RunNotRestored" });
  expect(await archiveOf(other)).toEqual(before);
});

test("H20 whatever is changed, left out, repeated or swapped is refused by its line, and nothing is imported", async () => {
  const lines = await archiveOf(await filled());
  const target = await opened();
  const refused = async (damaged: readonly string[], line: number): Promise<void> => {
    const error = await importRuns(target, from(damaged)).then(
      () => undefined,
      (reason: unknown) => reason as { code: string; message: string },
    );
    expect([line, error?.code, error?.message]).toEqual([
      line,
      "ArchiveDamaged",
      expect.stringContaining(`line ${line} of the archive is damaged`),
    ]);
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const middle = Math.floor(line.length / 2);
    const flipped = line.slice(0, middle) + (line[middle] === "x" ? "y" : "x") + line.slice(middle + 1);
    await refused(lines.with(at, flipped), at + 1);
    await refused(lines.with(at, line.slice(0, -1)), at + 1);
    await refused(lines.slice(0, at), at);
    if (at + 1 < lines.length) {
      await refused(lines.toSpliced(at, 1), at + 1);
      await refused(lines.toSpliced(at, 2, lines[at + 1]!, line), at + 1);
    }
    await refused(lines.toSpliced(at, 0, line), at === 0 ? 2 : at + 1 === lines.length ? at + 2 : at + 2);
  }
  expect(await target.list()).toEqual([]);
});

test("an archive of a newer version is refused by name, and what is none is told", async () => {
  const target = await opened();
  const { Sealer } = await import("../../../src/journal/archive/line.ts");
  const newer = [new Sealer().seal({ archive: "millrace", version: 2 })];
  await expect(importRuns(target, from(newer))).rejects.toMatchObject({ code: "ArchiveTooNew" });
  await expect(importRuns(target, from(["hello"]))).rejects.toMatchObject({ code: "ArchiveDamaged" });
  await expect(importRuns(target, from([]))).rejects.toMatchObject({ code: "ArchiveDamaged" });
});

test("an unknown run is not exported, and a damaged one is told of or left out", async () => {
  const source = await filled();
  await expect(archiveOf(source, ["nobody"])).rejects.toMatchObject({ code: "RunNotFound" });
  const row = (await source.get("asking"))!;
  const [first, ...rest] = await rowsOf(source, "asking");
  await source.restore({
    row: { ...row, id: "broken" },
    journal: [{ ...first!, chain: 1 }, ...rest],
    notes: [],
    carried: [],
    blobs: [],
  });
  await expect(archiveOf(source)).rejects.toMatchObject({ code: "JournalCorrupt" });
  const damaged: string[] = [];
  const lines = await Array.fromAsync(exportRuns(source, { damaged: (id) => damaged.push(id) }));
  expect(damaged).toEqual(["broken"]);
  expect((await importRuns(await opened(), from(lines))).imported.length).toBe(5);
});
