/** Chains of which every step waits for the disk: `sync` durability at `synchronous=FULL`. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Figure, Measurement, Settings } from "../harness/figure.ts";
import { effort, measurePairs, numbersOf, ratesOf, type Side } from "../harness/pairs.ts";
import { durableSides, type DurableSides } from "../workloads/durable-runs.ts";
import { asyncOps, chainOf } from "../workloads/step.ts";

const length = 100;

type IntervalHistogram = ReturnType<typeof monitorEventLoopDelay>;

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

/** Milliseconds between two turns of a timer that is due every millisecond; nothing is counted between repeats. */
function watched(side: Side, histogram: IntervalHistogram): Side {
  return {
    ...side,
    async run() {
      histogram.enable();
      await side.run();
      histogram.disable();
    },
  };
}

export const durableLoopDelay: Figure = {
  name: "durable-loop-delay",
  title: "99th percentile of the event loop's delay while durable-full-50 runs",
  unit: "ms",
  limits: [{ of: "value", atMost: 10 }],
  floor: "the same percentile while the floor of durable-full-50 runs",
  blind: "single long pauses (garbage collection) beyond the percentile: the greatest is in the notes",
  durable: true,
  async measure(settings) {
    const { ours, floor: bare } = await sides(settings, 50);
    const [own, other] = [monitorEventLoopDelay({ resolution: 1 }), monitorEventLoopDelay({ resolution: 1 })];
    // Compiled first: a histogram keeps everything.
    await measurePairs(ours, bare, { repeats: 1, warmUp: settings.quick ? 0 : 600, sample: 0 });
    await measurePairs(watched(ours, own), watched(bare, other), { ...effort(settings, { repeats: 15 }), warmUp: 0 });
    const milliseconds = (histogram: IntervalHistogram, share: number): number => histogram.percentile(share) / 1e6;
    const measured = numbersOf([milliseconds(own, 99)], [milliseconds(other, 99)]);
    return {
      ...measured,
      values: { least: own.min / 1e6, greatest: own.max / 1e6 },
      repeats: own.count,
      notes: [
        `median ${milliseconds(own, 50).toFixed(2)} ms, greatest ${(own.max / 1e6).toFixed(1)} ms`,
        "1 ms of each number is the timer's own interval",
      ],
    };
  },
};
