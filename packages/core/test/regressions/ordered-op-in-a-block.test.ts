import { expect, test } from "vitest";
import { collect, derive, each, graph, loop, op, when, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "../acceptance/support/engines.ts";

const note = op("note", async ({ n, seen }: { n: number; seen: number }) => {
  await new Promise((done) => setTimeout(done, (5 - n) * 2));
  return { n, seen };
});
const check = { check: checkInvariants };

test("an ordered op in an arm that is not taken does not hold the items behind", async () => {
  const g = graph("arms", (input: Ref<{ ns: number[] }>) => {
    const n = each(input.ns);
    const odd = derive(n, (value) => value % 2 === 1);
    const noted = when("odd", odd, () => note({ n, seen: n }, { ordered: true }));
    return { all: collect(noted.n) };
  });
  const engine = await open(check);
  expect(await engine.run(g, { ns: [2, 1, 4, 3, 2] })).toEqual({ all: [undefined, 1, undefined, 3, undefined] });
});

test("an ordered op in a loop runs in every iteration", async () => {
  const order: string[] = [];
  const enter = op("enter", async ({ n, k }: { n: number; k: number }) => {
    order.push(`${n}.${k}`);
    await Promise.resolve();
    return { k: k + 1 };
  });
  const g = graph("turns", (input: Ref<{ ns: number[] }>) => {
    const n = each(input.ns);
    const last = loop("turns", {}, { k: 0, n }, (s) => {
      const next = enter({ n: s.n, k: s.k }, { ordered: true });
      return { next: { k: next.k, n: s.n }, until: derive(next.k, (k) => k >= 3) };
    });
    return { all: collect(last.k) };
  });
  const engine = await open(check);
  expect(await engine.run(g, { ns: [0, 1] })).toEqual({ all: [3, 3] });
  expect(order.filter((turn) => turn.endsWith(".0"))).toEqual(["0.0", "1.0"]);
  expect(order).toHaveLength(6);
});
