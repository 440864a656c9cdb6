import { expect, test } from "vitest";
import { collect, derive, each, graph, op, when, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "../acceptance/support/engines.ts";

const numbers = op("numbers", function* ({ upTo }: { upTo: number }) {
  for (let n = 0; n < upTo; n++) yield { n, list: [n] };
});
const slowly = op("slowly", async ({ n }: { n: number }) => {
  await new Promise((done) => setTimeout(done, 5));
  return { n };
});
const last = op("last", async ({ n }: { n: number }) => ({ n }));

test("an item is not dropped when ops run in a stream of its blocks", async () => {
  const g = graph("g", (input: Ref<{ upTo: number }>) => {
    const item = numbers({ upTo: input.upTo });
    const done = when(
      "always",
      derive(item.n, () => true),
      () => ({ all: collect(slowly({ n: each(item.list, { name: "inner" }) }).n) }),
    );
    // Full with one item; no op of the item itself has started when the next one comes.
    const ended = last({ n: item.n }, { after: [done.all], buffer: 1, onFull: "dropOldest" });
    return { all: collect(done.all), ended: collect(ended.n) };
  });
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(g, { upTo: 2 })).toEqual({ all: [[0]], ended: [0] });
});
