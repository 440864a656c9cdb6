/** The journal's own speed: nothing waits for the disk. */
import type { Figure } from "../harness/figure.ts";
import { effort, measurePairs, ratesOf } from "../harness/pairs.ts";
import { durableSides } from "../workloads/durable-runs.ts";
import { asyncOps, chainOf } from "../workloads/step.ts";

const runs = 200;
const length = 250;

export const durableOff: Figure = {
  name: "durable-off-200",
  title: "records per second of 200 concurrent runs of 250 pure async ops, async durability, SQLite at synchronous=OFF",
  unit: "/s",
  limits: [{ of: "value", atLeast: 100_000 }],
  floor: "the rows of that journal, byte for byte, given to the backend alone, as in durable-full-50",
  blind: "the disk; ops that are not pure, which wait for their records",
  durable: true,
  async measure(settings) {
    const chain = chainOf("pure", asyncOps(length, { effect: "pure" }));
    const work = { runs, chain, sqlite: { synchronous: "off" }, durability: "async" } as const;
    const { ours, floor, notes } = await durableSides(settings, work, (records) => records);
    const pairs = await measurePairs(ours, floor, effort(settings, { repeats: 15 }));
    return { ...ratesOf(pairs), notes };
  },
};
