/** One database under the hammer: its lives, and what must hold of it at the end. */
import { join } from "node:path";
import { openEngine, type RunInfo } from "../../../src/index.ts";
import { sqlite } from "../../../src/node/index.ts";
import { killAtRandom, type KilledLife } from "../../../src/testing/sigkill.ts";
import { readJournal, type StoredJournal } from "../../../src/testing/simulate/journal.ts";
import { effectsIn, type Effect } from "./effects.ts";
import { jobsWith, type Job } from "./jobs.ts";
import { snapshotOf, type Snapshot } from "./snapshot.ts";

export const jobs: readonly Job[] = jobsWith(() => undefined);

export interface LivedThrough extends KilledLife {
  /** What the database held when the process was gone. */
  readonly left: Snapshot;
  readonly effects: readonly Effect[];
  /** It died by SIGKILL with runs unfinished and bodies begun. */
  readonly midWork: boolean;
}

export interface FinishedRun {
  readonly job: Job;
  readonly journal: StoredJournal;
  readonly info: RunInfo;
  /** `chain` of the row that ends at this sequence number. */
  readonly chains: ReadonlyMap<number, number>;
}

export interface Played {
  readonly durability: "sync" | "async";
  readonly lives: readonly LivedThrough[];
  readonly runs: readonly FinishedRun[];
}

const program = new URL("../programs/worker.ts", import.meta.url);

export async function play(folder: string, kills: number, seed: number, durability: "sync" | "async"): Promise<Played> {
  const file = join(folder, "runs.db");
  const effects = join(folder, "effects.txt");
  const snapshots: Snapshot[] = [];
  const lives = await killAtRandom({
    program,
    args: (life) => [file, effects, String(life), durability],
    kills,
    seed,
    points: [
      { after: "working\n", within: 60, weight: 7 },
      // While the file is made or its WAL recovered, runs are claimed and journals replayed.
      { after: "opening\n", within: 120, weight: 1 },
    ],
    // Half of a start is reading TypeScript; the first process of a test that ends by itself leaves it compiled.
    env: { NODE_COMPILE_CACHE: join(folder, "..", "compiled") },
    lifeTimeout: 120_000,
    died: () => void snapshots.push(snapshotOf(file)),
  });
  const all = effectsIn(effects);
  return {
    durability,
    lives: lives.map((life, i) => lived(life, snapshots[i] as Snapshot, all)),
    runs: await readRuns(file),
  };
}

function lived(life: KilledLife, left: Snapshot, all: readonly Effect[]): LivedThrough {
  const effects = all.filter((effect) => effect.life === life.number);
  const ended = [...left.runs.values()].filter(({ status }) => status !== "running");
  return { ...life, left, effects, midWork: life.killed && effects.length > 0 && ended.length < jobs.length };
}

async function readRuns(file: string): Promise<FinishedRun[]> {
  const backend = sqlite(file);
  await using engine = await openEngine({ backend, recover: false });
  const runs: FinishedRun[] = [];
  for (const job of jobs) {
    // I2: both check sequence and checksums of every row.
    const info = await engine.get(job.id);
    if (info === undefined) throw new Error(`run ${job.id} is missing`);
    const journal = await readJournal(backend, job.id);
    const chains = new Map<number, number>();
    for await (const { firstSeq, count, chain } of backend.read(job.id)) chains.set(firstSeq + count - 1, chain);
    runs.push({ job, journal, info, chains });
  }
  return runs;
}
