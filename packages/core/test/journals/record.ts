/** Makes a new folder of golden journals; `node scripts/golden-journals.ts <version>` calls it. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportRuns, memory, openEngine } from "../../src/index.ts";
import { encode } from "../../src/journal/codec/codec.ts";
import { newWorld } from "../acceptance/prototype/world.ts";
import { moved } from "./moved.ts";
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
  const backend = await moved(store.another());
  const lines = await Array.fromAsync(exportRuns(backend, { runs: [name] }));
  const expected = encode(await replayed(backend, name, graph));
  await backend.close();
  return { archive: `${lines.join("\n")}\n`, expected };
}
