/** Makes a new folder of golden journals; `node scripts/golden-journals.ts <version>` calls it. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportRuns, memory, openEngine, type Backend, type JournalRow } from "../../src/index.ts";
import { encode } from "../../src/journal/codec/codec.ts";
import { nextChain } from "../../src/journal/rows.ts";
import { newWorld } from "../acceptance/prototype/world.ts";
import { replayed } from "./replay.ts";
import { scenarios, type Scenario } from "./scenarios.ts";

export const journals: string = import.meta.dirname;

/** Refuses a folder that is there: what was recorded once is not recorded again. */
export async function recordAll(version: string): Promise<number> {
  if (!/^v\d+\.\d+$/.test(version)) throw new Error(`${JSON.stringify(version)} is no version; write v0.2`);
  const folder = join(journals, version);
  if (existsSync(folder)) throw new Error(`the journals of ${version} are there, and are kept as they are for ever`);
  mkdirSync(folder);
  for (const scenario of scenarios) {
    const { archive, expected } = await record(scenario);
    writeFileSync(join(folder, `${scenario.name}.jsonl`), archive);
    writeFileSync(join(folder, `${scenario.name}.expected`), `${expected}\n`);
  }
  return scenarios.length;
}

async function record(scenario: Scenario): Promise<{ readonly archive: string; readonly expected: string }> {
  const { name, graph, input, answer, context, resources = [] } = scenario;
  newWorld();
  const store = memory();
  const engine = await openEngine({ backend: store, resources, warn: () => undefined });
  const handle = await engine.start(graph, input as never, { id: name, ...(context !== undefined && { context }) });
  for (;;) {
    const result = await handle.result();
    const question = result.status === "interrupted" ? result.interrupts[0] : undefined;
    if (question === undefined || answer === undefined) break;
    await handle.answer(question.id, answer(question), { by: "ann" });
  }
  await engine.close();
  const backend = await elsewhere(store.another(), name);
  const lines = await Array.fromAsync(exportRuns(backend, { runs: [name] }));
  const expected = encode(await replayed(backend, name, graph));
  await backend.close();
  return { archive: `${lines.join("\n")}\n`, expected };
}

/** Where the repository stood when this was recorded; errors name files of it. */
const here: string = join(import.meta.dirname, "../../../..");

/** The run in a store of its own, as if the repository had stood in `/app`: journals do not tell whose they are. */
async function elsewhere(source: Backend, runId: string): Promise<Backend> {
  await source.open("recorder");
  const journal: JournalRow[] = [];
  let chain = 0;
  for await (const { firstSeq, count, bytes } of source.read(runId)) {
    const moved = new TextEncoder().encode(new TextDecoder().decode(bytes).replaceAll(here, "/app"));
    chain = nextChain(chain, firstSeq, count, moved);
    journal.push({ firstSeq, count, bytes: moved, chain });
  }
  const row = { ...(await source.get(runId))!, chain };
  const notes = await source.notes(runId);
  await source.close();
  const backend = memory();
  await backend.open("recorder");
  await backend.restore({ row, journal, notes, carried: [], blobs: [] });
  return backend;
}
