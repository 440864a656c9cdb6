/** What a run costs that does nothing but wait. */
import { openEngine } from "../../../../packages/core/src/index.ts";
import { weigh } from "../../../src/harness/memory.ts";
import { median, spanOf } from "../../../src/harness/statistics.ts";
import type { Comparison } from "../comparison.ts";
import { ourChain, theirChain, type Hold } from "../graphs/counting.ts";

const runs = 1_000;
const length = 3;

/** Bytes of heap per run that waits in its first node; then all of them are let through. */
async function weighWaiting(start: (hold: Hold) => () => Promise<{ readonly n: number }>): Promise<number> {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { heap, things } = await weigh(
    runs,
    start((n) => (n === 1 ? gate : undefined)),
  );
  open();
  for (const { n } of await Promise.all(things)) if (n !== length) throw new Error(`a run came to ${n}`);
  return heap;
}

export const waiting: Comparison = {
  name: "vs-langgraph-waiting",
  title: "bytes of heap per run that waits in its first node, 1,000 held alive; nothing is kept",
  unit: "B",
  target: 1,
  async measure({ quick }) {
    const engine = await openEngine();
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let i = 0; i < (quick ? 2 : 6); i++) {
      ours.push(
        await weighWaiting((hold) => {
          const graph = ourChain(length, hold);
          return () => engine.run(graph, { n: 0 });
        }),
      );
      theirs.push(
        await weighWaiting((hold) => {
          const graph = theirChain(length, undefined, hold);
          return () => graph.invoke({ n: 0 });
        }),
      );
    }
    // The first ones also weigh what is compiled and allocated once.
    const [own, other] = [ours.slice(1), theirs.slice(1)];
    return {
      millrace: median(own),
      langgraph: median(other),
      ratios: spanOf(other.map((bytes, at) => bytes / own[at]!)),
      repeats: own.length,
      notes: [`a chain of ${length} nodes`],
    };
  },
};
