/** Supersteps that are kept: each waits for that, or under `async` the end of the run does. */
import { join } from "node:path";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { Pool } from "pg";
import { openEngine, type Backend } from "../../../../packages/core/src/index.ts";
import { sqlite, type SqliteOptions } from "../../../../packages/core/src/node/index.ts";
import { postgres } from "../../../../packages/postgres/src/index.ts";
import { startServerProcess } from "../../../../packages/postgres/test/support/server-process.ts";
import type { Settings } from "../../../src/harness/figure.ts";
import { effort, measurePairs } from "../../../src/harness/pairs.ts";
import { expectSame } from "../../../src/harness/same.ts";
import { compared, type Compared, type Comparison } from "../comparison.ts";
import { ourChain, ourLoop, theirChain, theirLoop } from "../graphs/counting.ts";

const length = 100;
const target = 5;

const shapes = {
  chain: { words: "a chain of 100 nodes", ours: ourChain, theirs: theirChain },
  loop: { words: "one node that a branch leads back to 100 times", ours: ourLoop, theirs: theirLoop },
};

interface Stores {
  readonly backend: Backend;
  readonly saver: BaseCheckpointSaver;
}

/**
 * `sync`: a superstep begins when the one before is kept. `async`: it does not wait, and the call returns when all are kept: ours with
 * the record of the run's end, theirs when every promise of its saver is settled (`pregel/index.js`, `_streamIterator`).
 */
type Durability = "sync" | "async";

/** What waits, and for what. */
interface Waiting {
  readonly shape: keyof typeof shapes;
  readonly durability: Durability;
}

/** Each run on a thread of its own, in the same database. */
async function perSuperstep(
  settings: Settings,
  { shape, durability }: Waiting,
  { backend, saver }: Stores,
): Promise<Omit<Compared, "notes">> {
  const { ours: make, theirs: makeTheirs } = shapes[shape];
  const own = make(length, undefined, durability === "async" ? "pure" : "idempotent");
  const other = makeTheirs(length, saver);
  const engine = await openEngine({ backend, durability });
  let threads = 0;
  const ours = () => engine.run(own, { n: 0 }, { thread: `t${threads++}` });
  const theirs = () => {
    const configurable = { thread_id: `t${threads++}` };
    return other.invoke({ n: 0 }, { recursionLimit: length + 1, durability, configurable });
  };
  expectSame(await ours(), await theirs());
  const pairs = await measurePairs(
    { units: length, run: ours },
    { units: length, run: theirs },
    effort(settings, { repeats: 15 }),
  );
  await engine.close();
  return compared(pairs, 1e3);
}

type Level = NonNullable<SqliteOptions["synchronous"]>;

/** `both`: how both wait for the disk; without it each does as it ships. */
function onSqlite(name: string, waiting: Waiting, both?: Level): Comparison {
  return {
    name: `vs-langgraph-${name}`,
    title: `${titleOf(waiting)} on SQLite${both === undefined ? "" : `, both with synchronous=${both}`}`,
    unit: "µs",
    target,
    async measure(settings) {
      const { folder } = settings;
      const saver = SqliteSaver.fromConnString(join(folder, "langgraph.db"));
      // The saver opens its database at its first use, and leaves the level as it is.
      await saver.getTuple({ configurable: { thread_id: "none" } });
      if (both !== undefined) saver.db.pragma(`synchronous = ${both}`);
      const synchronous = both ?? "full";
      const backend = sqlite(join(folder, "millrace.db"), { synchronous });
      const measured = await perSuperstep(settings, waiting, { backend, saver });
      const theirs = levels[Number(saver.db.pragma("synchronous", { simple: true }))];
      saver.db.close();
      return { ...measured, notes: [`synchronous: ours ${synchronous}, theirs ${theirs}, both WAL`] };
    },
  };
}

const levels: readonly Level[] = ["off", "normal", "full"];

function onPostgres(name: string, waiting: Waiting): Comparison {
  return {
    name: `vs-langgraph-${name}`,
    title: `${titleOf(waiting)} on PostgreSQL`,
    unit: "µs",
    target,
    async measure(settings) {
      const server = await startServerProcess();
      const pool = new Pool({ connectionString: server.url });
      // Its connections may still be there when the server goes.
      pool.on("error", () => undefined);
      const saver = new PostgresSaver(pool);
      try {
        await saver.setup();
        const backend = postgres(server.url, { schema: "millrace" });
        return { ...(await perSuperstep(settings, waiting, { backend, saver })), notes: ["synchronous_commit on"] };
      } finally {
        await saver.end();
        await server.stop();
      }
    },
  };
}

function titleOf({ shape, durability }: Waiting): string {
  return `time per superstep of ${shapes[shape].words}, ${durability} durability,`;
}

const chain: Waiting = { shape: "chain", durability: "sync" };
const loop: Waiting = { shape: "loop", durability: "sync" };
const ahead: Waiting = { shape: "chain", durability: "async" };

export const sqliteChain: Comparison = onSqlite("sqlite", chain);
export const sqliteLoop: Comparison = onSqlite("sqlite-loop", loop);
export const sqliteFull: Comparison = onSqlite("sqlite-full", chain, "full");
export const sqliteNormal: Comparison = onSqlite("sqlite-normal", chain, "normal");
export const sqliteAsync: Comparison = onSqlite("sqlite-async", ahead);
export const postgresChain: Comparison = onPostgres("pg", chain);
export const postgresLoop: Comparison = onPostgres("pg-loop", loop);
export const postgresAsync: Comparison = onPostgres("pg-async", ahead);
