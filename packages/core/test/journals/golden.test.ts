/** H36: journals of every release, replayed for ever. What an old journal says, rebuilds and comes to may not change. */
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { exportRuns, importRuns, memory, openEngine, type Backend, type JournalRow } from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import { decode } from "../../src/journal/codec/codec.ts";
import { newWorld } from "../acceptance/prototype/world.ts";
import { rowsOf } from "../acceptance/support/journal.ts";
import { journals, recordAll } from "./record.ts";
import { replayed, type Replayed } from "./replay.ts";
import { scenarios, type Scenario } from "./scenarios.ts";

const files = globSync("v*/*.jsonl", { cwd: journals }).toSorted();

function linesOf(file: string): () => AsyncIterable<string> {
  return async function* () {
    yield* readFileSync(join(journals, file), "utf8").trimEnd().split("\n");
  };
}

async function imported(file: string, backend: Backend): Promise<Backend> {
  await backend.open("golden");
  await importRuns(backend, linesOf(file));
  return backend;
}

function expectedOf(file: string): Replayed {
  return decode(readFileSync(join(journals, file.replace(/\.jsonl$/, ".expected")), "utf8").trimEnd()) as Replayed;
}

function scenarioOf(file: string): Scenario {
  const found = scenarios.find(({ name }) => name === basename(file, ".jsonl"));
  if (found === undefined) throw new Error(`the scenario of ${file} is gone: golden journals are replayed for ever`);
  return found;
}

test("H36 there are journals of every recorded version, and a version is recorded once", async () => {
  expect(files.length).toBeGreaterThanOrEqual(14);
  for (const version of new Set(files.map(dirname)))
    await expect(recordAll(version)).rejects.toThrow("kept as they are for ever");
  await expect(recordAll("../x")).rejects.toThrow("is no version");
});

describe.each(files)("H36 %s", (file) => {
  const { name, graph, resources = [], repeats, answer } = scenarioOf(file);

  test("says and rebuilds what it did when it was recorded", async () => {
    expect(await replayed(await imported(file, memory()), name, graph)).toEqual(expectedOf(file));
  });

  test("goes through SQLite byte for byte", async () => {
    const folder = mkdtempSync(join(tmpdir(), "millrace-golden-"));
    const backend = await imported(file, sqlite(join(folder, "golden.db")));
    const lines = await Array.fromAsync(exportRuns(backend));
    expect(`${lines.join("\n")}\n`).toBe(readFileSync(join(journals, file), "utf8"));
    expect(await replayed(backend, name, graph)).toEqual(expectedOf(file));
    await backend.close();
    rmSync(folder, { recursive: true });
  });

  test.runIf(repeats)("cut behind any of its commits, the run goes on to the same end", async () => {
    const whole = await imported(file, memory());
    const row = (await whole.get(name))!;
    const rows = await rowsOf(whole, name);
    for (let cut = 1; cut < rows.length; cut++) {
      newWorld();
      const store = memory();
      await cutBehind(store, row, rows.slice(0, cut));
      const engine = await openEngine({ backend: store.another(), graphs: [graph], resources, warn: () => undefined });
      const [handle] = engine.recovered;
      for (;;) {
        const result = await handle!.result();
        const question = result.status === "interrupted" ? result.interrupts[0] : undefined;
        if (question !== undefined && answer !== undefined) {
          await handle!.answer(question.id, answer(question));
          continue;
        }
        const { fold } = expectedOf(file);
        const output = result.status === "completed" ? result.output : undefined;
        expect([cut, result.status, output]).toEqual([cut, fold.status, fold.output]);
        break;
      }
      await engine.close();
    }
  });
});

async function cutBehind(
  store: Backend,
  row: NonNullable<Awaited<ReturnType<Backend["get"]>>>,
  journal: readonly JournalRow[],
): Promise<void> {
  await store.open("cutter");
  const last = journal.at(-1)!;
  const lastSeq = last.firstSeq + last.count - 1;
  const cut = { ...row, status: "running", endedAt: null, wakeAt: null, lastSeq, chain: last.chain } as const;
  const restored = await store.restore({ row: cut, journal, notes: [], carried: [], blobs: [] });
  expect(restored).toEqual({ type: "restored" });
}
