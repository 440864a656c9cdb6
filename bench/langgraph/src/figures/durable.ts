/** Supersteps of which each waits until what came of it is kept. */
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

/** Each run on a thread of its own, in the same database. */
async function perSuperstep(
  settings: Settings,
  shape: keyof typeof shapes,
  { backend, saver }: Stores,
): Promise<Omit<Compared, "notes">> {
  const own = shapes[shape].ours(length);
  const other = shapes[shape].theirs(length, saver);
  const engine = await openEngine({ backend, durability: "sync" });
  let threads = 0;
  const ours = () => engine.run(own, { n: 0 }, { thread: `t${threads++}` });
  const theirs = () => {
    const configurable = { thread_id: `t${threads++}` };
    return other.invoke({ n: 0 }, { recursionLimit: length + 1, durability: "sync", configurable });
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
function onSqlite(name: string, shape: keyof typeof shapes, both?: Level): Comparison {
  return {
    name: `vs-langgraph-${name}`,
    title: `time per superstep of ${shapes[shape].words} on SQLite${both === undefined ? "" : `, both with synchronous=${both}`}`,
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
      const measured = await perSuperstep(settings, shape, { backend, saver });
      const theirs = levels[Number(saver.db.pragma("synchronous", { simple: true }))];
      saver.db.close();
      return { ...measured, notes: [`synchronous: ours ${synchronous}, theirs ${theirs}, both WAL`] };
    },
  };
}

const levels: readonly Level[] = ["off", "normal", "full"];

function onPostgres(name: string, shape: keyof typeof shapes): Comparison {
  return {
    name: `vs-langgraph-${name}`,
    title: `time per superstep of ${shapes[shape].words} on PostgreSQL`,
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
        return { ...(await perSuperstep(settings, shape, { backend, saver })), notes: ["synchronous_commit on"] };
      } finally {
        await saver.end();
        await server.stop();
      }
    },
  };
}

export const sqliteChain: Comparison = onSqlite("sqlite", "chain");
export const sqliteLoop: Comparison = onSqlite("sqlite-loop", "loop");
export const sqliteFull: Comparison = onSqlite("sqlite-full", "chain", "full");
export const sqliteNormal: Comparison = onSqlite("sqlite-normal", "chain", "normal");
export const postgresChain: Comparison = onPostgres("pg", "chain");
export const postgresLoop: Comparison = onPostgres("pg-loop", "loop");
