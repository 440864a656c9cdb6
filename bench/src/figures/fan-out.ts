/** 1,000 async ops at once, and one that waits for all of them. */
import { graph, op, openEngine, type Ref } from "@millrace/core";
import type { Figure } from "../harness/figure.ts";
import { effort, measurePairs, timesOf } from "../harness/pairs.ts";
import { expectSame } from "../harness/same.ts";
import { asyncBody, asyncOps, many, type Step } from "../workloads/step.ts";

const width = 1_000;

/** The join of both sides. */
function sum(parts: readonly Step[]): number {
  let total = 0;
  for (const { x } of parts) total += x;
  return total;
}

function fanOf(count: number) {
  const ops = asyncOps(count);
  const join = op("join", ({ parts }: { parts: readonly Step[] }) => ({ total: sum(parts) }));
  return graph("fan", (input: Ref<Step>) => ({
    total: join({ parts: ops.map((step) => step({ x: input.x })) }).total,
  }));
}

export const fanOut: Figure = {
  name: "fan-out-1000",
  title: "time per op of 1,000 async nodes that start together and one that joins their outputs, without a backend",
  unit: "ns",
  limits: [{ of: "ratio", atMost: 1.6 }],
  floor:
    "Promise.all over 1,000 async closures that each await their step (an async closure of one literal); then the same sum",
  blind: "the default cap of 64 ops at once: it is lifted, as the floor has none",
  async measure(settings) {
    const engine = await openEngine({ runConcurrency: width });
    const fan = fanOf(width);
    const bodies = many(width, asyncBody);
    const ours = { units: width, run: () => engine.run(fan, { x: 1 }) };
    const floor = {
      units: width,
      async run(): Promise<{ total: number }> {
        const parts = await Promise.all(
          bodies.map(async (body) => {
            const { x } = await body({ x: 1 });
            return { x };
          }),
        );
        return { total: sum(parts) };
      },
    };
    expectSame(await ours.run(), await floor.run());
    const measured = timesOf(await measurePairs(ours, floor, effort(settings)));
    return { ...measured, notes: ["runConcurrency 1,000; the start and the end of each run are in the value"] };
  },
};
