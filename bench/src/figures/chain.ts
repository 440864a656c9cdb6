/** A chain of 1,000 ops, synchronous and async. */
import { openEngine } from "@millrace/core";
import type { Figure } from "../harness/figure.ts";
import { effort, measurePairs, timesOf } from "../harness/pairs.ts";
import { expectSame } from "../harness/same.ts";
import { asyncBody, asyncOps, chainOf, many, syncBody, syncOps, type Step } from "../workloads/step.ts";

const length = 1_000;
const notes = ["the start and the end of each run are in the value"];

export const syncOp: Figure = {
  name: "sync-op",
  title: "time per op of a chain of 1,000 synchronous ops, without a backend",
  unit: "ns",
  limits: [
    { of: "value", atMost: 120 },
    { of: "ratio", atMost: 30 },
  ],
  floor: "a loop that calls 1,000 closures of one literal in turn, each taking and returning an object { x }",
  blind: "schemas, failures, the journal; bodies that do something",
  async measure(settings) {
    const engine = await openEngine();
    const chain = chainOf("chain", syncOps(length));
    const bodies = many(length, syncBody);
    const ours = { units: length, run: () => engine.run(chain, { x: 0 }) };
    const floor = {
      units: length,
      run(): Step {
        let at: Step = { x: 0 };
        for (const body of bodies) at = body({ x: at.x });
        return at;
      },
    };
    expectSame(await ours.run(), floor.run());
    return { ...timesOf(await measurePairs(ours, floor, effort(settings))), notes };
  },
};

export const asyncOp: Figure = {
  name: "async-op",
  title: "time per op of a chain of 1,000 async ops that resolve at once, without a backend",
  unit: "ns",
  limits: [{ of: "ratio", atMost: 3 }],
  floor: "a loop that awaits 1,000 async closures of one literal in turn, each taking and returning an object { x }",
  blind: "bodies that really wait: then the wait is all that counts",
  async measure(settings) {
    const engine = await openEngine();
    const chain = chainOf("chain", asyncOps(length));
    const bodies = many(length, asyncBody);
    const ours = { units: length, run: () => engine.run(chain, { x: 0 }) };
    const floor = {
      units: length,
      async run(): Promise<Step> {
        let at: Step = { x: 0 };
        for (const body of bodies) at = await body({ x: at.x });
        return at;
      },
    };
    expectSame(await ours.run(), await floor.run());
    return { ...timesOf(await measurePairs(ours, floor, effort(settings))), notes };
  },
};
