/** Supersteps of which nothing is kept. */
import { openEngine } from "../../../../packages/core/src/index.ts";
import { effort, measurePairs } from "../../../src/harness/pairs.ts";
import { expectSame } from "../../../src/harness/same.ts";
import { compared, type Comparison } from "../comparison.ts";
import { ourChain, ourLoop, theirChain, theirLoop } from "../graphs/counting.ts";
import { ourSending, theirSending } from "../graphs/sending.ts";

const length = 1_000;
const target = 20;

interface Work {
  readonly ours: () => Promise<unknown>;
  readonly theirs: () => Promise<unknown>;
}

function figureOf(name: string, title: string, make: () => Promise<Work>): Comparison {
  return {
    name: `vs-langgraph-${name}`,
    title,
    unit: "µs",
    target,
    async measure(settings) {
      const { ours, theirs } = await make();
      expectSame(await ours(), await theirs());
      const pairs = await measurePairs(
        { units: length, run: ours },
        { units: length, run: theirs },
        effort(settings, { repeats: 11 }),
      );
      return { ...compared(pairs, 1e3), notes: ["no backend, no checkpointer"] };
    },
  };
}

const config = { recursionLimit: length + 1 };

export const chain: Comparison = figureOf(
  "chain",
  "time per superstep of a chain of 1,000 nodes",
  async (): Promise<Work> => {
    const engine = await openEngine();
    const [own, other] = [ourChain(length), theirChain(length)];
    return { ours: () => engine.run(own, { n: 0 }), theirs: () => other.invoke({ n: 0 }, config) };
  },
);

export const loop: Comparison = figureOf(
  "loop",
  "time per superstep of one node that a branch leads back to 1,000 times",
  async (): Promise<Work> => {
    const engine = await openEngine();
    const [own, other] = [ourLoop(length), theirLoop(length)];
    return { ours: () => engine.run(own, { n: 0 }), theirs: () => other.invoke({ n: 0 }, config) };
  },
);

export const fanOut: Comparison = figureOf(
  "fanout",
  "time per task of 1,000 sends to one node, each of which adds to a list that is summed up",
  async (): Promise<Work> => {
    const engine = await openEngine();
    const [own, other] = [ourSending(length), theirSending(length)];
    return { ours: () => engine.run(own, {}), theirs: () => other.invoke({}, config) };
  },
);
