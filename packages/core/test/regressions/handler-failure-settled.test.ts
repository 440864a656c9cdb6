import { expect, test } from "vitest";
import { collect, each, fallback, graph, op, type Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

const refuse = op("refuse", async ({ n }: { n: number }): Promise<{ n: number }> => {
  throw new Error(`not ${n}`);
});

test("a handler whose failure a settle takes ends no run that raises", async () => {
  const g = graph("g", (input: Ref<{ ns: number[] }>) => {
    const n = each(input.ns);
    const done = fallback(
      "f",
      () => refuse({ n }),
      () => refuse({ n }),
    );
    return { all: collect(done.n, { errors: "settle" }) };
  });
  const engine = await open();
  const { status, errors } = await (await engine.start(g, { ns: [1] }, { errors: "raise" })).result();
  expect(status).toBe("completed");
  expect(errors.map(({ handled }) => handled)).toEqual([true, true, true]);
});
