/** A stream of 1,000,000 items that nothing keeps: does memory stay flat? */
import { join } from "node:path";
import { graph, op, openEngine, reduce, type EngineOptions, type Graph, type Ref } from "@millrace/core";
import { sqlite } from "@millrace/core/node";
import type { Figure } from "../harness/figure.ts";
import { collectAll } from "../harness/garbage.ts";
import { numbersOf } from "../harness/pairs.ts";

const early = 100_000;

type Input = { readonly count: number };

/** Weighs the heap at the first mark and at the last item, from inside of the stream. */
function counted(marks: number[]): Graph<Input, { sum: number }> {
  const source = op("source", { transient: true }, async function* ({ count }: Input) {
    for (let i = 1; i <= count; i++) {
      if (i === Math.min(early, count) || i === count) {
        await collectAll();
        marks.push(process.memoryUsage().heapUsed);
      }
      yield { i };
    }
  });
  return graph("counted", (input: Ref<Input>) => ({
    sum: reduce("sum", source({ count: input.count }).i, 0, (all, i) => all + i),
  }));
}

async function growth(count: number, options: EngineOptions): Promise<number> {
  const marks: number[] = [];
  const engine = await openEngine(options);
  const { sum } = await engine.run(counted(marks), { count });
  await engine.close();
  if (sum !== (count * (count + 1)) / 2) throw new Error(`the items add up to ${sum}`);
  return (marks.at(-1) ?? 0) - (marks[0] ?? 0);
}

/** The same without an engine. */
async function byHand(count: number): Promise<number> {
  const marks: number[] = [];
  async function* source() {
    for (let i = 1; i <= count; i++) {
      if (i === Math.min(early, count) || i === count) {
        await collectAll();
        marks.push(process.memoryUsage().heapUsed);
      }
      yield { i };
    }
  }
  let sum = 0;
  for await (const { i } of source()) sum += i;
  if (sum === 0) throw new Error("nothing was added");
  return (marks.at(-1) ?? 0) - (marks[0] ?? 0);
}

export const transientStream: Figure = {
  name: "transient-1m",
  title:
    "growth of the heap from item 100,000 to item 1,000,000 of a transient stream, the greater of without a backend and on SQLite",
  unit: "B",
  limits: [{ of: "value", atMost: 1_000_000 }],
  floor: "the same growth in a plain `for await` over the generator: what the measurement itself leaves (at least 1 B)",
  blind: "the size of the database, which keeps every item for audit; time",
  async measure({ quick, folder }) {
    const count = quick ? 2_000 : 1_000_000;
    const floor = Math.max(1, await byHand(count));
    const plain = await growth(count, {});
    const backend = sqlite(join(folder, "transient.db"), { synchronous: "off" });
    const journaled = await growth(count, { backend, durability: "async" });
    return {
      ...numbersOf([Math.max(1, plain, journaled)], [floor]),
      notes: [`without a backend ${plain} B, on SQLite ${journaled} B`],
    };
  },
};
