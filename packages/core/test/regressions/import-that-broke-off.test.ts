/**
 * R24: an import that broke off in its middle could not be repeated once a run that it had put back went on: the run that
 * stood there was taken for another one, and the rest of the archive was refused with it.
 */
import { expect, test } from "vitest";
import { z } from "zod";
import { exportRuns, graph, importRuns, interrupt, memory, type Ref } from "../../src/index.ts";
import type { MemoryBackend } from "../../src/backends/memory.ts";
import { open } from "../acceptance/support/engines.ts";

const ask = graph("ask", (_input: Ref<{ of?: string }>) => ({ said: interrupt("q", {}, { answer: z.number() }) }));
const runs = ["r-1", "r-2", "r-3"];

async function archive(): Promise<() => AsyncGenerator<string>> {
  const store = memory();
  const engine = await open({ backend: store, graphs: [ask] });
  for (const id of runs) await (await engine.start(ask, {}, { id, ...(id === "r-2" && { thread: "t" }) })).result();
  const lines: string[] = [];
  for await (const line of exportRuns(store, { runs })) lines.push(line);
  return async function* () {
    yield* lines;
  };
}

async function opened(store: MemoryBackend): Promise<MemoryBackend> {
  const handle = store.another();
  await handle.open("import");
  return handle;
}

test("R24 it is repeated, and puts back the runs that are missing", async () => {
  const lines = await archive();
  const store = memory();
  const engine = await open({ backend: store, graphs: [ask] });
  const target = await opened(store);
  await (await engine.start(ask, {}, { id: "busy", thread: "t" })).result();
  await expect(importRuns(target, lines)).rejects.toMatchObject({ code: "RunNotRestored" });
  expect(await engine.get("r-1")).toMatchObject({ status: "interrupted" });
  expect(await engine.get("r-2")).toBeUndefined();
  await (await engine.answer("r-1", "q", 1)).result();
  await engine.cancel("busy");
  expect(await importRuns(target, lines)).toMatchObject({ imported: ["r-2"], present: ["r-1", "r-3"] });
  for (const id of ["r-2", "r-3"]) expect(await (await engine.answer(id, "q", 2)).output()).toEqual({ said: 2 });
  expect(await importRuns(target, lines)).toEqual({ imported: [], present: runs });
  expect(await engine.get("r-1")).toMatchObject({ output: { said: 1 } });
});

test("R24 another run with such an id is refused as before, further on or not, and nothing is written", async () => {
  const lines = await archive();
  const store = memory();
  const engine = await open({ backend: store, graphs: [ask] });
  const target = await opened(store);
  // Runs that begin in one millisecond with one input are the same.
  await (await engine.start(ask, { of: "another" }, { id: "r-3" })).result();
  await expect(importRuns(target, lines)).rejects.toMatchObject({ code: "RunNotRestored" });
  await (await engine.answer("r-3", "q", 1)).result();
  await expect(importRuns(target, lines)).rejects.toMatchObject({ code: "RunNotRestored" });
  expect((await engine.list()).map(({ id }) => id)).toEqual(["r-3"]);
});
