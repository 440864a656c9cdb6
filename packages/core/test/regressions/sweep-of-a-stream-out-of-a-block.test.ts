import { expect, test } from "vitest";
import { collect, graph, op, orElse, reduce, sweep, when, type Ref } from "../../src/index.ts";
import { crashedEverywhere } from "../acceptance/prototype/running.ts";

const gen = op("gen", async function* ({ of, count }: { of: string; count: number }) {
  for (let i = 0; i < count; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    yield { tok: `${of}${i}` };
  }
});
const up = op("up", async ({ x }: { x: string }) => ({ y: x.toUpperCase() }));
const never = op("never", async (_input: { x: string }, ctx): Promise<{ y: string }> => {
  return new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(new Error("aborted"))));
});

// What passes the items on was taken for a piece of work of the run, which then ended too early; and the generator inside
// went on, held up for ever by items that were on their way.
test("a sweep of the run ends a stream that leaves a block, and the rest goes on", async () => {
  const stopper = op("stopper", async ({ n }: { n: number }) => ({ stop: n >= 1 }));
  const g = graph("g", (input: Ref<{ go: boolean }>) => {
    const w = when("w", input.go, () => ({ tok: gen({ of: "t", count: 3 }).tok }));
    const done = never({ x: orElse(w.tok, "") }, { parallel: 8 });
    const count = reduce("count", gen({ of: "c", count: 3 }).tok, 0, (n) => n + 1);
    const swept = sweep("all", { on: stopper({ n: count }).stop, cancel: [done] });
    const rest = up({ x: "rest" }, { after: [swept] });
    return { done: collect(done.y), rest: rest.y };
  });
  await crashedEverywhere(g, { go: true }, {}, ({ result }, cut) =>
    expect([cut, result]).toMatchObject([cut, { status: "completed", output: { done: [], rest: "REST" }, errors: [] }]),
  );
});
