/** How soon the successor of a fast branch starts while a slow one goes on. */
import { graph, op, openEngine, type Ref } from "@millrace/core";
import type { Figure } from "../harness/figure.ts";
import { numbersOf } from "../harness/pairs.ts";

const fastMs = 10;
const slowMs = 100;

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

interface Marks {
  fastEnded: number;
  nextBegan: number;
}

export const diamondSuccessor: Figure = {
  name: "diamond-successor",
  title:
    "time from the end of the fast branch (10 ms) of a diamond to the start of its successor; the slow one takes 100 ms",
  unit: "ms",
  limits: [{ of: "value", atMost: 5 }],
  floor:
    "the same with promises: an async function that awaits the fast one and calls its successor, beside the slow one",
  blind: "busy machines; bodies that hold the event loop",
  async measure({ quick }) {
    const engine = await openEngine();
    const marks: Marks = { fastEnded: 0, nextBegan: 0 };
    const fast = async (): Promise<{ x: number }> => {
      await after(fastMs);
      marks.fastEnded = performance.now();
      return { x: 1 };
    };
    const next = async ({ x }: { x: number }): Promise<{ x: number }> => {
      marks.nextBegan = performance.now();
      return { x };
    };
    const slow = async (): Promise<{ x: number }> => {
      await after(slowMs);
      return { x: 1 };
    };
    const ops = {
      fast: op("fast", fast),
      next: op("next", next),
      slow: op("slow", slow),
      join: op("join", async (i: { a: number; b: number }) => i),
    };
    const diamond = graph("diamond", (_input: Ref<object>) => {
      const a = ops.next({ x: ops.fast().x });
      return ops.join({ a: a.x, b: ops.slow().x });
    });
    const branch = async (): Promise<unknown> => next(await fast());
    const byHand = (): Promise<unknown> => Promise.all([branch(), slow()]);
    const found = { ours: [] as number[], floor: [] as number[] };
    for (let i = 0; i < (quick ? 2 : 15); i++) {
      await engine.run(diamond, {});
      found.ours.push(marks.nextBegan - marks.fastEnded);
      await byHand();
      found.floor.push(marks.nextBegan - marks.fastEnded);
    }
    return { ...numbersOf(found.ours, found.floor), notes: [] };
  },
};
