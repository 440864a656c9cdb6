/** Chains of which every step waits for the disk: `sync` durability at `synchronous=FULL`. */
import type { Figure, Measurement, Settings } from "../harness/figure.ts";
import { LoopDelay } from "../harness/loop-delay.ts";
import { effort, measurePairs, numbersOf, ratesOf, type Side } from "../harness/pairs.ts";
import { durableSides, type DurableSides } from "../workloads/durable-runs.ts";
import { asyncOps, chainOf } from "../workloads/step.ts";

const length = 100;

function sides(settings: Settings, runs: number): Promise<DurableSides> {
  const chain = chainOf("durable", asyncOps(length));
  const work = { runs, chain, sqlite: { synchronous: "full" }, durability: "sync" } as const;
  return durableSides(settings, work, () => runs * length);
}

async function stepsPerSecond(settings: Settings, runs: number): Promise<Measurement> {
  const { ours, floor, notes } = await sides(settings, runs);
  const pairs = await measurePairs(ours, floor, effort(settings, { repeats: runs === 1 ? 31 : 15 }));
  return { ...ratesOf(pairs), notes };
}

const floor =
  "the rows of that journal, byte for byte, given to the backend alone (same worker thread, same statements with the fenced update): each run's next row when its last one is durable";

export const durableFull1: Figure = {
  name: "durable-full-1",
  title: "steps per second of one durable run of 100 async ops, sync durability, SQLite at synchronous=FULL",
  unit: "/s",
  limits: [{ of: "ratio", atLeast: 0.6 }],
  floor,
  blind: "what the worker and SQLite themselves could save: both sides pay it",
  durable: true,
  measure: (settings) => stepsPerSecond(settings, 1),
};

export const durableFull50: Figure = {
  name: "durable-full-50",
  title: "steps per second of 50 concurrent durable runs of 100 async ops, sync durability, SQLite at synchronous=FULL",
  unit: "/s",
  limits: [{ of: "ratio", atLeast: 0.7 }],
  floor,
  blind: "what the worker and SQLite themselves could save: both sides pay it; the floor's commits group by themselves",
  durable: true,
  measure: (settings) => stepsPerSecond(settings, 50),
};

export const durableFull200: Figure = {
  name: "durable-full-200",
  title:
    "steps per second of 200 concurrent durable runs of 100 async ops, sync durability, SQLite at synchronous=FULL",
  unit: "/s",
  limits: [{ of: "ratio", atLeast: 0.7 }],
  floor,
  blind: "what the worker and SQLite themselves could save: both sides pay it; the floor's commits group by themselves",
  durable: true,
  measure: (settings) => stepsPerSecond(settings, 200),
};

function watched(side: Side, delay: LoopDelay): Side {
  return { ...side, run: () => delay.during(() => side.run()) };
}

export const durableLoopDelay: Figure = {
  name: "durable-loop-delay",
  title: "99th percentile of the event loop's delay while durable-full-50 runs",
  unit: "ms",
  limits: [{ of: "value", atMost: 10 }],
  floor: "the same percentile while the floor of durable-full-50 runs",
  blind: "single long pauses beyond the percentile: the spread shows the greatest",
  durable: true,
  async measure(settings) {
    const { ours, floor: bare } = await sides(settings, 50);
    const [own, other] = [new LoopDelay(), new LoopDelay()];
    const given = effort(settings, { repeats: 15 });
    // Compiled first: a histogram forgets nothing.
    await measurePairs(ours, bare, { ...given, repeats: 1 });
    await measurePairs(watched(ours, own), watched(bare, other), { ...given, warmUp: 0 });
    return {
      ...numbersOf([own.percentile(99)], [other.percentile(99)]),
      values: own.span,
      repeats: given.repeats,
      notes: [
        `median ${own.percentile(50).toFixed(2)} ms of ${own.samples} turns`,
        "1 ms of each number is the timer's own interval",
      ],
    };
  },
};
