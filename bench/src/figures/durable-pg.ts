/** Chains of which every step waits for a PostgreSQL server that waits for its disk. */
import { startServerProcess } from "../../../packages/postgres/test/support/server-process.ts";
import type { Figure, Measurement, Settings } from "../harness/figure.ts";
import { effort, measurePairs, ratesOf } from "../harness/pairs.ts";
import { postgresSides } from "../workloads/postgres-runs.ts";
import { asyncOps, chainOf } from "../workloads/step.ts";

const length = 100;

async function stepsPerSecond(settings: Settings, runs: number): Promise<Measurement> {
  const server = await startServerProcess();
  try {
    const chain = chainOf("durable", asyncOps(length));
    const { ours, floor, notes } = await postgresSides(
      { url: server.url, runs, chain, durability: "sync" },
      runs * length,
    );
    const pairs = await measurePairs(ours, floor, effort(settings, { repeats: runs === 1 ? 15 : 9 }));
    return { ...ratesOf(pairs), notes };
  } finally {
    await server.stop();
  }
}

function figureOf(runs: number, atLeast: number): Figure {
  return {
    name: `durable-pg-${runs}`,
    title: `steps per second of ${runs === 1 ? "one durable run" : `${runs} concurrent durable runs`} of 100 async ops on PostgreSQL, sync durability, synchronous_commit on`,
    unit: "/s",
    limits: [{ of: "ratio", atLeast }],
    floor:
      "the statements of that very work, with their parameters, one fenced commit after the other through the same connection; only the starts of the runs go side by side",
    blind: "what the statements and the server themselves could save: both sides pay it; the network",
    durable: true,
    measure: (settings) => stepsPerSecond(settings, runs),
  };
}

export const durablePg1: Figure = figureOf(1, 0.7);
export const durablePg50: Figure = figureOf(50, 0.7);
export const durablePg200: Figure = figureOf(200, 0.7);
