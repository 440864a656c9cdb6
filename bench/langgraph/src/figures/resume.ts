/** A run that its process left in superstep 1,000, taken up and brought to its end. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { RunnableConfig } from "@langchain/core/runnables";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { openEngine, type Engine } from "../../../../packages/core/src/index.ts";
import { sqlite } from "../../../../packages/core/src/node/index.ts";
import { effort, measurePairs, type Side } from "../../../src/harness/pairs.ts";
import { expectSame } from "../../../src/harness/same.ts";
import { median } from "../../../src/harness/statistics.ts";
import { compared, type Comparison } from "../comparison.ts";
import { ourChain, ourLoop, theirChain, theirLoop, type Hold } from "../graphs/counting.ts";

const length = 1_000;

interface Shape {
  readonly words: string;
  readonly ours: typeof ourChain;
  readonly theirs: typeof theirChain | typeof theirLoop;
}

/** A side, with what it came to, and what it took to compile its graph and to open its database, as a new process does. */
interface Resuming extends Side {
  readonly results: unknown[];
  readonly openings: number[];
}

async function ours({ ours: make }: Shape, folder: string): Promise<Resuming> {
  const left = join(folder, "millrace.db");
  await leaveOurs(make, left);
  const [results, openings]: [unknown[], number[]] = [[], []];
  let engine: Engine | undefined;
  return {
    units: 1,
    results,
    openings,
    async prepare() {
      const file = join(folder, `millrace-${openings.length}.db`);
      copyFileSync(left, file);
      const started = performance.now();
      engine = await openEngine({ backend: sqlite(file), graphs: [make(length)], recover: false });
      openings.push(performance.now() - started);
    },
    async run() {
      const handle = await engine!.resume("r");
      results.push(await handle.output());
    },
    finish: () => engine!.close(),
  };
}

/** The last body is at work when the engine goes, as when its process dies. */
async function leaveOurs(make: Shape["ours"], file: string): Promise<void> {
  const engine = await openEngine({ backend: sqlite(file), durability: "sync" });
  await new Promise<void>((resolve, reject) => {
    const hold: Hold = (n) => {
      if (n < length) return undefined;
      resolve();
      return new Promise(() => undefined);
    };
    engine
      .start(make(length, hold), { n: 0 }, { id: "r", thread: "t" })
      .then((handle) => handle.result().catch(() => undefined))
      .catch(reject);
  });
  await engine.close();
}

async function theirs({ theirs: make }: Shape, folder: string): Promise<Resuming> {
  const left = join(folder, "langgraph.db");
  const config = { recursionLimit: length + 1, durability: "sync" as const, configurable: { thread_id: "t" } };
  await leaveTheirs(make, left, config);
  const [results, openings]: [unknown[], number[]] = [[], []];
  let saver: SqliteSaver | undefined;
  let graph: ReturnType<typeof make> | undefined;
  return {
    units: 1,
    results,
    openings,
    async prepare() {
      const file = join(folder, `langgraph-${openings.length}.db`);
      copyFileSync(left, file);
      const started = performance.now();
      saver = SqliteSaver.fromConnString(file);
      graph = make(length, saver);
      openings.push(performance.now() - started);
    },
    async run() {
      results.push(await graph!.invoke(null, config));
    },
    async finish() {
      saver?.db.close();
    },
  };
}

/** The last body fails: what the superstep before came to is the checkpoint that is gone on from, as after a crash. */
async function leaveTheirs(make: Shape["theirs"], file: string, config: RunnableConfig): Promise<void> {
  const saver = SqliteSaver.fromConnString(file);
  const hold: Hold = (n) => {
    if (n === length) throw new Error("the process is gone");
    return undefined;
  };
  await make(length, saver, hold)
    .invoke({ n: 0 }, config)
    .catch(() => undefined);
  saver.db.close();
}

function figureOf(name: string, shape: Shape): Comparison {
  return {
    name: `vs-langgraph-${name}`,
    title: `time from resume to the result of a run that was left in superstep 1,000 of ${shape.words}, on SQLite`,
    unit: "ms",
    target: 3,
    async measure(settings) {
      const [own, other] = [await ours(shape, settings.folder), await theirs(shape, settings.folder)];
      const pairs = await measurePairs(own, other, effort(settings, { repeats: 15 }));
      for (const result of [...own.results, ...other.results]) expectSame(result, { n: length });
      const opened = [own, other].map(({ openings }) => median(openings).toFixed(1));
      return {
        ...compared(pairs, 1e6),
        notes: [`compiling the graph and opening the database: ours ${opened[0]} ms, theirs ${opened[1]} ms`],
      };
    },
  };
}

export const resumeChain: Comparison = figureOf("resume", {
  words: "a chain of 1,000 nodes",
  ours: ourChain,
  theirs: theirChain,
});
export const resumeLoop: Comparison = figureOf("resume-loop", {
  words: "one node that a branch leads back to",
  ours: ourLoop,
  theirs: theirLoop,
});
