import { expect, test } from "vitest";
import { derive, each, fallback, graph, op, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { crashEverywhere, open } from "../acceptance/support/engines.ts";

const check = { check: checkInvariants };
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
let order: string[] = [];

const refuse = op("refuse", async ({ ms }: { ms: number }): Promise<{ n: number }> => {
  await pause(ms);
  throw new Error("no");
});
const mend = op("mend", async () => {
  order.push("mend");
  return { n: 0 };
});
const follow = op("follow", async ({ n }: { n: number }) => {
  order.push(`follow ${n}`);
  await pause(1);
  return { n };
});

test("an unsafe generator goes on to its end, without credit and without items", async () => {
  const count = op("count", { effect: "unsafe" }, async function* () {
    for (let n = 0; n < 4; n++) {
      order.push(`count ${n}`);
      yield { n };
      await pause(4);
    }
  });
  const g = graph("g", (input: Ref<{ ms: number }>) =>
    fallback(
      "f",
      () => {
        const slow = follow({ n: count().n }, { buffer: 1 });
        refuse({ ms: derive(slow.n, (n) => n) });
        return { n: refuse({ ms: input.ms }, { name: "soon" }).n };
      },
      () => ({ n: mend().n }),
    ),
  );
  order = [];
  const engine = await open(check);
  expect(await engine.run(g, { ms: 3 })).toEqual({ n: 0 });
  expect(order.filter((step) => !step.startsWith("follow"))).toEqual([
    "count 0",
    "count 1",
    "count 2",
    "count 3",
    "mend",
  ]);
  expect(order.filter((step) => step.startsWith("follow")).length).toBeLessThan(3);
});

test("an unsafe generator that waits for credit when the body fails is asked for the rest", async () => {
  const hold = op("hold", async ({ n }: { n: number }) => {
    await pause(30);
    return { n };
  });
  const count = op("count", { effect: "unsafe" }, function* () {
    for (let n = 0; n < 3; n++) {
      order.push(`count ${n}`);
      yield { n };
    }
  });
  const g = graph("g", (input: Ref<{ ms: number }>) =>
    fallback(
      "f",
      () => {
        hold({ n: count().n }, { buffer: 1 });
        return { n: refuse({ ms: input.ms }).n };
      },
      () => ({ n: mend().n }),
    ),
  );
  order = [];
  const engine = await open(check);
  expect(await engine.run(g, { ms: 3 })).toEqual({ n: 0 });
  expect(order).toEqual(["count 0", "count 1", "count 2", "mend"]);
});

test("a list whose items are awaited gives no more of them, and nothing outside is waited for", async () => {
  const charge = op("charge", { effect: "unsafe" }, async ({ n }: { n: number }) => {
    order.push(`charge ${n}`);
    await pause(10);
    order.push(`charged ${n}`);
    return { n };
  });
  const late = op("late", async () => {
    await pause(5);
    return { n: 1 };
  });
  const g = graph("g", (input: Ref<{ ns: number[]; ms: number }>) => {
    const outside = late();
    const done = fallback(
      "f",
      () => {
        const n = each(input.ns);
        charge({ n }, { buffer: 1 });
        follow({ n: derive([n, outside.n] as const, ([a, b]) => a + b) });
        return { n: refuse({ ms: input.ms }).n };
      },
      () => ({ n: mend().n }),
    );
    return { n: done.n, outside: outside.n };
  });
  order = [];
  const engine = await open(check);
  expect(await engine.run(g, { ns: [1, 2], ms: 1 })).toEqual({ n: 0, outside: 1 });
  expect(order).toEqual(["charge 1", "charged 1", "mend"]);
});

test("an unsafe op that was ready when the body failed does not begin", async () => {
  const charge = op("charge", { effect: "unsafe" }, async () => {
    order.push("charge");
    return { n: 1 };
  });
  const first = op("first", async ({ n }: { n: number }) => ({ n }));
  const g = graph("g", (input: Ref<{ n: number }>) =>
    fallback(
      "f",
      () => {
        const from = first({ n: input.n });
        // In one step: the edge fails, and before the body ends the op has all it waits for.
        const through = derive(from.n, (n) => n);
        const broken = derive(from.n, (): number => {
          throw new Error("no");
        });
        charge({}, { after: [through] });
        return { n: broken };
      },
      () => ({ n: mend().n }),
    ),
  );
  order = [];
  const engine = await open(check);
  expect(await engine.run(g, { n: 1 })).toEqual({ n: 0 });
  expect(order).toEqual(["mend"]);
  await crashEverywhere(g, { n: 1 }, ({ result }) => expect(result).toMatchObject({ output: { n: 0 } }), check);
});
