/** A long conversation: what it stores, and what its turns take. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { openEngine } from "../../../../packages/core/src/index.ts";
import { sqlite } from "../../../../packages/core/src/node/index.ts";
import type { Settings } from "../../../src/harness/figure.ts";
import { expectSame } from "../../../src/harness/same.ts";
import { median, spanOf } from "../../../src/harness/statistics.ts";
import { ratioOf, type Compared, type Comparison } from "../comparison.ts";
import { ourTalking, theirTalking } from "../graphs/talking.ts";

const turns = 200;
const size = 1_000;

/** A conversation that is over. */
interface Talked {
  readonly last: unknown;
  /** Of the file, when the database is closed. */
  readonly bytes: number;
  /** Milliseconds of each turn. */
  readonly times: readonly number[];
}

async function talk(turn: (said: string) => Promise<unknown>): Promise<Omit<Talked, "bytes">> {
  const times: number[] = [];
  let last: unknown;
  for (let n = 1; n <= turns; n++) {
    const started = performance.now();
    last = await turn(String(n).padEnd(size, "x"));
    times.push(performance.now() - started);
  }
  return { last, times };
}

async function ours(file: string): Promise<Talked> {
  const engine = await openEngine({ backend: sqlite(file), durability: "sync" });
  const graph = ourTalking();
  const talked = await talk((said) => engine.run(graph, { said }, { thread: "t" }));
  await engine.close();
  return { ...talked, bytes: statSync(file).size };
}

async function theirs(file: string): Promise<Talked> {
  const saver = SqliteSaver.fromConnString(file);
  const graph = theirTalking(saver);
  const config = { durability: "sync" as const, configurable: { thread_id: "t" } };
  const talked = await talk((said) => graph.invoke({ said }, config));
  saver.db.close();
  return { ...talked, bytes: statSync(file).size };
}

interface Both {
  readonly ours: readonly Talked[];
  readonly theirs: readonly Talked[];
}

/** The first conversation of each only compiles. */
async function conversations({ folder, quick }: Settings): Promise<Both> {
  const found = { ours: [] as Talked[], theirs: [] as Talked[] };
  for (let i = 0; i < (quick ? 2 : 4); i++) {
    found.ours.push(await ours(join(folder, `millrace-${i}.db`)));
    found.theirs.push(await theirs(join(folder, `langgraph-${i}.db`)));
    expectSame(found.ours.at(-1)?.last, found.theirs.at(-1)?.last);
  }
  return { ours: found.ours.slice(1), theirs: found.theirs.slice(1) };
}

function compare({ ours, theirs }: Both, of: (talked: Talked) => number): Omit<Compared, "notes"> {
  const [own, other] = [ours.map(of), theirs.map(of)];
  return {
    millrace: median(own),
    langgraph: median(other),
    ratios: spanOf(other.map((number, at) => number / own[at]!)),
    repeats: own.length,
  };
}

/** Of five turns, so that one pause of the machine is none of the figure. */
const early = ({ times }: Talked): number => median(times.slice(1, 6));
const late = ({ times }: Talked): number => median(times.slice(-5));

export const threadBytes: Comparison = {
  name: "vs-langgraph-thread",
  title: "bytes of the SQLite file of a thread of 200 turns, each of which adds 1 kB to a list",
  unit: "B",
  target: 20,
  async measure(settings) {
    const measured = compare(await conversations(settings), ({ bytes }) => bytes);
    return { ...measured, notes: [`the texts: ${turns * size} B`] };
  },
};

export const threadTime: Comparison = {
  name: "vs-langgraph-turn",
  title: "time of the last turns of a thread of 200 turns, on SQLite",
  unit: "ms",
  target: 1,
  async measure(settings) {
    const both = await conversations(settings);
    const growth = (of: readonly Talked[]) => median(of.map((talked) => late(talked) / early(talked))).toFixed(2);
    const turn2 = compare(both, early);
    return {
      ...compare(both, late),
      notes: [
        `turn 200 / turn 2: ours ${growth(both.ours)}, theirs ${growth(both.theirs)}`,
        `turn 2: ours ${turn2.millrace.toFixed(2)} ms, theirs ${turn2.langgraph.toFixed(2)} ms, ${ratioOf({ ...turn2, notes: [] }).toFixed(1)} times`,
      ],
    };
  },
};
