/** What is gained where nothing waits for the disk that need not. */
import type { EngineOptions } from "@millrace/core";
import { startServerProcess } from "../../../packages/postgres/test/support/server-process.ts";
import type { Figure, Measurement, Settings } from "../harness/figure.ts";
import { effort, measurePairs, ratesOf, type Side } from "../harness/pairs.ts";
import { durableSides } from "../workloads/durable-runs.ts";
import { postgresSides } from "../workloads/postgres-runs.ts";
import { asyncOps, chainOf } from "../workloads/step.ts";

const length = 100;
const runs = 50;

type Durability = NonNullable<EngineOptions["durability"]>;

const chain = () => chainOf("durable", asyncOps(length, { effect: "pure" }));

async function onSqlite(settings: Settings, durability: Durability): Promise<Side> {
  const work = { runs, chain: chain(), sqlite: { synchronous: "full" }, durability } as const;
  return (await durableSides(settings, work, () => runs * length)).ours;
}

async function onPostgres(url: string, durability: Durability): Promise<Side> {
  return (await postgresSides({ url, runs, chain: chain(), durability }, runs * length)).ours;
}

async function compare(
  settings: Settings,
  sideOf: (durability: Durability) => Promise<Side>,
  repeats: number,
): Promise<Measurement> {
  const ours = await sideOf("async");
  const floor = await sideOf("sync");
  const pairs = await measurePairs(ours, floor, effort(settings, { repeats }));
  return { ...ratesOf(pairs), notes: ["the last record of a run is waited for by both"] };
}

function figureOf(store: string, where: string, measure: Figure["measure"]): Figure {
  return {
    name: `durable-async-${store}`,
    title: `steps per second of ${runs} concurrent durable runs of ${length} pure async ops, async durability, ${where}`,
    unit: "/s",
    limits: [{ of: "ratio", atLeast: 1 }],
    floor: "the same runs with sync durability",
    blind: "ops that are not pure: they wait for the disk under both",
    durable: true,
    measure,
  };
}

export const durableAsync: Figure = figureOf("sqlite", "SQLite at synchronous=FULL", (settings) =>
  compare(settings, (durability) => onSqlite(settings, durability), 15),
);

export const durableAsyncPg: Figure = figureOf("pg", "PostgreSQL, synchronous_commit on", async (settings) => {
  const server = await startServerProcess();
  try {
    return await compare(settings, (durability) => onPostgres(server.url, durability), 9);
  } finally {
    await server.stop();
  }
});
