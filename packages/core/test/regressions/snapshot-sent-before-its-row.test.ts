import { expect, test } from "vitest";
import { graph, loop, memory, op, type Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";
import { recordingOf } from "../acceptance/support/journal.ts";

test("H24 a snapshot that is taken while the row before was told to be durable waits for its own row, however often that is", async () => {
  const one = op("one", ({ n }: { n: number }) => ({ n: n + 1, done: n + 1 >= 300 }));
  const counting = graph("counting", (input: Ref<{ n: number }>) => {
    const { n } = loop("turns", { max: 1_000 }, { n: input.n }, ({ n }) => {
      const next = one({ n });
      return { next: { n: next.n }, until: next.done, result: { n: next.n } };
    });
    return { n };
  });
  const backend = memory();
  const engine = await open({ backend, snapshots: { after: 1_500, share: Infinity } });
  expect(await engine.run(counting, { n: 0 }, { id: "run" })).toEqual({ n: 300 });
  const { records } = await recordingOf(backend, "run");
  expect(records.filter(([kind]) => kind === 21).length).toBeGreaterThan(5);
});
