/** A loop of 100,000 iterations of one async op. */
import { derive, graph, loop, op, openEngine, type Ref } from "@millrace/core";
import type { Figure } from "../harness/figure.ts";
import { effort, measurePairs, timesOf } from "../harness/pairs.ts";
import { expectSame } from "../harness/same.ts";
import { asyncBody, type Step } from "../workloads/step.ts";

const count = 100_000;

export const asyncLoop: Figure = {
  name: "loop-100000",
  title: "time per iteration of a loop of 100,000 iterations of one async op, without a backend",
  unit: "ns",
  limits: [{ of: "ratio", atMost: 2.5 }],
  floor: "a loop that awaits the op's body, makes the next state { x } and looks whether it was the last, as often",
  blind: "bodies that really wait; the journal, which takes one record more per iteration: the decision to go on",
  async measure(settings) {
    const engine = await openEngine();
    const body = asyncBody(1);
    const step = op("step", asyncBody(1));
    const counted = graph("counted", (input: Ref<Step>) =>
      loop("count", { max: count + 1 }, { x: input.x }, (state) => {
        const next = step({ x: state.x });
        return { next: { x: next.x }, until: derive(next.x, (x) => x >= count) };
      }),
    );
    const ours = { units: count, run: () => engine.run(counted, { x: 0 }) };
    const floor = {
      units: count,
      async run(): Promise<Step> {
        let state: Step = { x: 0 };
        for (let over = false; !over;) {
          const next = await body({ x: state.x });
          state = { x: next.x };
          over = next.x >= count;
        }
        return state;
      },
    };
    expectSame(await ours.run(), await floor.run());
    return { ...timesOf(await measurePairs(ours, floor, effort(settings, { repeats: 21 }))), notes: [] };
  },
};
