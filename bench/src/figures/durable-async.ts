/** What is gained where nothing waits for the disk that need not. */
import type { EngineOptions } from "@millrace/core";
import type { Figure, Settings } from "../harness/figure.ts";
import { effort, measurePairs, ratesOf, type Side } from "../harness/pairs.ts";
import { durableSides } from "../workloads/durable-runs.ts";
import { asyncOps, chainOf } from "../workloads/step.ts";

const length = 100;
const runs = 50;

async function sideOf(settings: Settings, durability: NonNullable<EngineOptions["durability"]>): Promise<Side> {
  const chain = chainOf("durable", asyncOps(length, { effect: "pure" }));
  const work = { runs, chain, sqlite: { synchronous: "full" }, durability } as const;
  return (await durableSides(settings, work, () => runs * length)).ours;
}

export const durableAsync: Figure = {
  name: "durable-async-sqlite",
  title:
    "steps per second of 50 concurrent durable runs of 100 pure async ops, async durability, SQLite at synchronous=FULL",
  unit: "/s",
  limits: [{ of: "ratio", atLeast: 1 }],
  floor: "the same runs with sync durability",
  blind: "ops that are not pure: they wait for the disk under both",
  durable: true,
  async measure(settings) {
    const ours = await sideOf(settings, "async");
    const floor = await sideOf(settings, "sync");
    const pairs = await measurePairs(ours, floor, effort(settings, { repeats: 15 }));
    return { ...ratesOf(pairs), notes: ["the last record of a run is waited for by both"] };
  },
};
