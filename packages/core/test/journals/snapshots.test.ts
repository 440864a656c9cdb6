/**
 * H36: a journal with snapshots and a compacted one, read for ever like those of releases. A snapshot of an older layout may be
 * passed over, and then its journal is replayed; a compacted one has nothing else to begin with.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exportRuns, importRuns, memory, openEngine, type Backend } from "../../src/index.ts";
import { decode, encode } from "../../src/journal/codec/codec.ts";
import { rowsOf } from "../acceptance/support/journal.ts";
import { newWorld } from "../acceptance/prototype/world.ts";
import { journals } from "./record.ts";
import { replayed } from "./replay.ts";
import { scenarios, type Scenario } from "./scenarios.ts";

const folder = join(journals, "snapshots-1");
const named = (name: string): Scenario => scenarios.find((scenario) => scenario.name === name) as Scenario;

async function record(scenario: Scenario, isCompacted: boolean): Promise<{ archive: string; expected: string }> {
  const { name, graph, input, answer, context, resources = [] } = scenario;
  newWorld();
  const store = memory();
  const engine = await openEngine({
    backend: store,
    resources,
    warn: () => undefined,
    snapshots: { after: 1, share: Infinity },
  });
  const handle = await engine.start(graph, input as never, { id: name, ...(context !== undefined && { context }) });
  for (;;) {
    const result = await handle.result();
    const question = result.status === "interrupted" ? result.interrupts[0] : undefined;
    if (question === undefined || answer === undefined) break;
    await handle.answer(question.id, answer(question), { by: "ann" });
  }
  if (isCompacted) await engine.compact(name);
  await engine.close();
  const backend = store.another();
  await backend.open("recorder");
  const lines = await Array.fromAsync(exportRuns(backend, { runs: [name] }));
  const expected = encode(await replayed(backend, name, graph));
  await backend.close();
  return { archive: `${lines.join("\n")}\n`, expected };
}

/** What was recorded once is not recorded again: a new layout gets a new folder. */
async function recordAll(): Promise<void> {
  if (existsSync(folder)) throw new Error(`the journals of ${folder} are there, and are kept as they are for ever`);
  mkdirSync(folder);
  for (const [file, name, isCompacted] of files) {
    const { archive, expected } = await record(named(name), isCompacted);
    writeFileSync(join(folder, `${file}.jsonl`), archive);
    writeFileSync(join(folder, `${file}.expected`), `${expected}\n`);
  }
}

const files = [
  ["agent-loop", "agent-loop", false],
  ["agent-loop-compacted", "agent-loop", true],
  ["digest-streams", "digest-streams", false],
  ["support-waiting", "support-waiting", false],
  ["support-waiting-compacted", "support-waiting", true],
] as const;

test("H36 a layout of snapshots is recorded once", async () => {
  await expect(recordAll()).rejects.toThrow("kept as they are for ever");
});

async function imported(file: string, backend: Backend): Promise<Backend> {
  const text = readFileSync(join(folder, `${file}.jsonl`), "utf8");
  await backend.open("golden");
  await importRuns(backend, async function* () {
    yield* text.trimEnd().split("\n");
  });
  return backend;
}

describe.each(files)("H24 H36 snapshots-1/%s", (file, name) => {
  const { graph } = named(name);

  test("says and rebuilds what it did when it was recorded, from each of its snapshots and without", async () => {
    const backend = await imported(file, memory());
    const expected = decode(readFileSync(join(folder, `${file}.expected`), "utf8").trimEnd());
    expect(await replayed(backend, name, graph)).toEqual(expected);
    const rows = await rowsOf(backend, name);
    const snapshots = rows.filter(({ bytes }) => new TextDecoder().decode(bytes).startsWith("[[21,"));
    expect(snapshots.length).toBeGreaterThan(0);
    for (const { firstSeq } of snapshots) {
      await backend.noteSnapshot?.(name, firstSeq);
      expect(await replayed(backend, name, graph)).toEqual(expected);
    }
    await backend.close();
  });
});
