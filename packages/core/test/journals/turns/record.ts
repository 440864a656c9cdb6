/** Makes a new set of golden journals of state graphs or workflows; `node scripts/golden-journals.ts <set>` calls it. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportRuns, memory, openEngine, threadsOf, type Checkpoint, type Runnable } from "../../../src/index.ts";
import type { MemoryBackend } from "../../../src/backends/memory.ts";
import { encode } from "../../../src/journal/codec/codec.ts";
import { moved } from "../moved.ts";
import { replayed, type Replayed } from "../replay.ts";
import { ran, tally } from "./ran.ts";
import { stateGraphs } from "./state-graphs-1.ts";
import type { AnyStateGraph, Story } from "./story.ts";
import { workflows } from "./workflows-1.ts";

/** By the folders that their journals are in. */
export const sets: Readonly<Record<string, readonly Story[]>> = {
  "state-graphs-1": stateGraphs,
  "workflows-1": workflows,
};

const journals: string = join(import.meta.dirname, "..");

/** What the journals of a story say and come to. */
export interface Told {
  /** By run. */
  readonly runs: Readonly<Record<string, Replayed>>;
  /** Of its thread, oldest first. */
  readonly checkpoints: readonly Checkpoint[];
}

/** How often each body ran when it happened. */
export interface Expected extends Told {
  readonly ran: Readonly<Record<string, number>>;
}

/** Refuses a folder that is there: what was recorded once is not recorded again. */
export async function recordSet(set: string): Promise<number> {
  if (!Object.hasOwn(sets, set))
    throw new Error(`there are no stories of ${JSON.stringify(set)}: ${Object.keys(sets).join(", ")}`);
  const stories = sets[set] as readonly Story[];
  const folder = join(journals, set);
  if (existsSync(folder)) throw new Error(`the journals of ${set} are there, and are kept as they are for ever`);
  mkdirSync(folder);
  for (const story of stories) {
    const { archive, expected } = await record(story);
    writeFileSync(join(folder, `${story.name}.jsonl`), archive);
    writeFileSync(join(folder, `${story.name}.expected`), `${encode(expected)}\n`);
  }
  return stories.length;
}

async function record(story: Story): Promise<{ readonly archive: string; readonly expected: Expected }> {
  ran.length = 0;
  const store = memory();
  const engine = await openEngine({ backend: store, graphs: [story.graph], warn: () => undefined });
  await story.happens(engine);
  await engine.close();
  const counts = tally(ran);
  const backend = await moved(store.another());
  const lines = await Array.fromAsync(exportRuns(backend));
  const expected = { ...(await told(backend, story)), ran: counts };
  await backend.close();
  return { archive: `${lines.join("\n")}\n`, expected };
}

/** With the code as it is now. */
export async function told(backend: MemoryBackend, { graph, thread }: Story): Promise<Told> {
  const runs: Record<string, Replayed> = {};
  for (const { id } of await backend.list({})) runs[id] = await replayed(backend, id, graph);
  return { runs, checkpoints: thread === undefined ? [] : await checkpointsOf(backend, graph, thread) };
}

/** Read by an engine that drives nothing. */
export async function checkpointsOf(
  backend: MemoryBackend,
  graph: Runnable<never, unknown>,
  thread: string,
): Promise<readonly Checkpoint[]> {
  const reader = await openEngine({
    backend: backend.another(),
    graphs: [graph],
    recover: false,
    warn: () => undefined,
  });
  try {
    return await threadsOf(reader, graph as unknown as AnyStateGraph).history(thread, { order: "oldest" });
  } finally {
    await reader.close();
  }
}
