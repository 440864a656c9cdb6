/** Many short runs at once: what a run costs that is not its ops. */
import { openEngine } from "@millrace/core";
import type { Figure } from "../harness/figure.ts";
import { effort, measurePairs, timesOf } from "../harness/pairs.ts";
import { expectSame } from "../harness/same.ts";
import { asyncBody, asyncOps, chainOf, many, type Step } from "../workloads/step.ts";

const runs = 10_000;
const length = 10;

export const smallRuns: Figure = {
  name: "small-runs-10000",
  title: "time per run of 10,000 concurrent runs of 10 async ops, without a backend",
  unit: "ns",
  limits: [{ of: "ratio", atMost: 4 }],
  floor:
    "10,000 calls of one async function under one Promise.all, each awaiting 10 async closures of one literal and returning its result object",
  blind: "runs that differ in graph; ops that really wait",
  async measure(settings) {
    const engine = await openEngine();
    const chain = chainOf("small", asyncOps(length));
    const bodies = many(length, asyncBody);
    const one = async (x: number): Promise<Step> => {
      let at: Step = { x };
      for (const body of bodies) at = await body({ x: at.x });
      return { x: at.x };
    };
    const all = <T>(run: (x: number) => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: runs }, (_, x) => run(x)));
    const ours = { units: runs, run: () => all((x) => engine.run(chain, { x })) };
    const floor = { units: runs, run: () => all(one) };
    expectSame(await ours.run(), await floor.run());
    const pairs = await measurePairs(ours, floor, effort(settings, { repeats: 15 }));
    return { ...timesOf(pairs), notes: ["the garbage of 10,000 runs that live at once is in both sides"] };
  },
};
