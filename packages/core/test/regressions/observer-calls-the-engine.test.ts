import { expect, test } from "vitest";
import { graph, openEngine, op, type Engine, type Ref } from "../../src/index.ts";

const inc = op("inc", ({ x }: { x: number }) => ({ x: x + 1 }));
const one = graph("one", (input: Ref<{ x: number }>) => ({
  x: inc({ x: inc({ x: input.x }).x }, { name: "again" }).x,
}));
const other = graph("other", (input: Ref<{ x: number }>) => ({ y: inc({ x: input.x }).x }));

test("an observer that starts another run inside of a step mixes nothing up", async () => {
  const inner: Promise<unknown>[] = [];
  const engine: Engine = await openEngine({
    observer: {
      finished: ({ path }) => {
        if (path === "one/inc") inner.push(engine.run(other, { x: 10 }));
      },
    },
  });
  expect(await engine.run(one, { x: 1 })).toEqual({ x: 3 });
  expect(await Promise.all(inner)).toEqual([{ y: 11 }]);
  await engine.close();
});
