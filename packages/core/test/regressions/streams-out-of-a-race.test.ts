import { expect, test } from "vitest";
import { collect, derive, each, graph, op, race, zip, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "../acceptance/support/engines.ts";
import { forever } from "../acceptance/support/gate.ts";

const later = op("later", async ({ n }: { n: number }) => {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  return { n };
});
const hangs = op("hangs", async ({ n }: { n: number }) => {
  await forever();
  return { n };
});
const refuses = op("refuses", async ({ n: _n }: { n: number }): Promise<{ n: number }> => {
  throw new Error("no");
});

test("a zip within an arm decides no race: nothing left the arm", async () => {
  const g = graph("zipInArm", (input: Ref<{ n: number; xs: number[]; ys: number[] }>) => {
    const won = race("r", {
      slow: () => {
        const pair = zip({ x: each(input.xs), y: each(input.ys) }, { name: "pairs" });
        return { n: hangs({ n: derive(collect(pair.x), (all) => all.length) }).n };
      },
      fast: () => ({ n: later({ n: input.n }).n }),
    });
    return { n: won.n };
  });
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(g, { n: 7, xs: [1, 2], ys: [3, 4] })).toEqual({ n: 7 });
  await engine.close();
});

test("a stream that only a loser has is empty", async () => {
  const g = graph("onlyOne", (input: Ref<{ n: number; xs: number[] }>) => {
    const won = race("r", {
      a: () => ({ n: later({ n: input.n }).n }),
      b: () => ({ n: hangs({ n: input.n }).n, x: hangs({ n: each(input.xs) }, { name: "perItem" }).n }),
    }) as unknown as { readonly n: Ref<number>; readonly x: never };
    return { n: won.n, xs: collect(won.x) };
  });
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(g, { n: 7, xs: [1, 2] })).toEqual({ n: 7, xs: [] });
  await engine.close();
});

test("a stream of the winner that ended before it won has ended", async () => {
  const g = graph("endedBefore", (input: Ref<{ n: number; xs: number[] }>) => {
    const won = race("r", {
      a: () => ({ n: later({ n: input.n }).n, x: each(input.xs) }),
      b: () => ({ n: hangs({ n: input.n }).n, x: each(input.xs) }),
    });
    return { n: won.n, xs: collect(won.x) };
  });
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(g, { n: 7, xs: [] })).toEqual({ n: 7, xs: [] });
  await engine.close();
});

test("an arm that wins by an item gives what broke in it before", async () => {
  const g = graph("brokeBefore", (input: Ref<{ n: number; xs: number[] }>) => {
    const won = race("r", {
      a: () => ({ n: refuses({ n: input.n }).n, x: later({ n: each(input.xs) }).n }),
      b: () => ({ n: hangs({ n: input.n }).n, x: hangs({ n: each(input.xs) }, { name: "perItem" }).n }),
    });
    return { xs: collect(won.x), n: won.n };
  });
  const engine = await open({ check: checkInvariants });
  const handle = await engine.start(g, { n: 7, xs: [1] });
  const result = await handle.result();
  expect(result.status).toBe("failed");
  expect(result.errors.map(({ code }) => code)).not.toContain("Stalled");
  await engine.close();
});
