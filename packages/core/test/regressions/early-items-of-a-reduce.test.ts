import { expect, test } from "vitest";
import { derive, filter, graph, memory, op, orElse, reduce, when, type Item, type Ref } from "../../src/index.ts";
import { planOf } from "../../src/build/plan-of.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import type { RunState } from "../../src/state/run-state.ts";
import { openContexts } from "../../src/state/walk.ts";
import { readJournal } from "../../src/testing/simulate/journal.ts";
import { interpret } from "../../src/testing/simulate/verdict.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually, gate } from "../acceptance/support/gate.ts";

const settled = async (): Promise<void> => {
  for (let i = 0; i < 300; i++) await new Promise((resolve) => setImmediate(resolve));
};

/** Ops whose first item hangs until the door opens, and what they have been asked for. */
function stage() {
  const door = gate();
  const seen = { made: 0, through: 0 };
  const count = op("count", async function* ({ n }: { n: number }) {
    for (let i = 0; i < n; i++) {
      seen.made++;
      yield { i };
    }
  });
  const firstHangs = op("firstHangs", async ({ i }: { i: number }) => {
    if (i === 0) await door.opened;
    seen.through++;
    return { i };
  });
  return { door, seen, count, firstHangs };
}

/** The most values and gaps that any reduce keeps. */
function kept(run: RunState): number {
  let most = 0;
  for (const context of openContexts(run.root))
    for (const { collects } of context.streams ?? [])
      for (const { early, gaps } of collects) most = Math.max(most, (early?.size ?? 0) + (gaps?.size ?? 0));
  return most;
}

const join = (list: number[], i: number): number[] => [...list, i];

// Items that were through before a slow one gave their credit back, and the reduce kept their values without bound.
test("K5 what a reduce keeps behind a slow item is bounded by the stream's buffer, and its maker waits", async () => {
  const { door, seen, count, firstHangs } = stage();
  const g = graph("bounded", (input: Ref<{ n: number }>) => {
    const { i } = count({ n: input.n });
    return { list: reduce("list", firstHangs({ i }, { parallel: 4, buffer: 5 }).i, [] as number[], join) };
  });
  let most = 0;
  const backend = memory();
  const engine = await open({
    backend,
    check: (run) => {
      checkInvariants(run);
      most = Math.max(most, kept(run));
    },
  });
  const handle = await engine.start(g, { n: 200 }, { id: "run" });
  await eventually("four items are through", () => seen.through === 4);
  await settled();
  expect(seen).toEqual({ made: 5, through: 4 });
  expect(most).toBe(4);
  door.open();
  const list = Array.from({ length: 200 }, (_, i) => i);
  expect(await handle.result()).toMatchObject({ status: "completed", output: { list } });
  expect(most).toBe(4);
  const { happenings } = await readJournal(backend, "run");
  expect(interpret(planOf(g), happenings).reference.outcome).toMatchObject({ output: { list } });
});

const counts = (n: number): boolean => n === 0 || n >= 900;
const refused = op("refused", ({ i }: { i: number }) => {
  if (!counts(i)) throw new Error(`not ${i}`);
  return { i };
});

test.each([
  ["filtered", (i: Ref<number, Item>) => filter(i, derive(i, counts))],
  ["failed, and left out", (i: Ref<number, Item>) => refused({ i }, { parallel: 4 }).i],
])("items that leave nothing wait for nobody, and cost nothing however many they are: %s", async (_, left) => {
  const { door, seen, count, firstHangs } = stage();
  const g = graph("gaps", (input: Ref<{ n: number }>) => {
    const { i } = count({ n: input.n });
    const some = left(firstHangs({ i }, { parallel: 4, buffer: 5 }).i);
    return { list: reduce("list", some, [] as number[], join, { errors: "skip" }) };
  });
  let most = 0;
  const engine = await open({ check: (run) => (most = Math.max(most, kept(run))) });
  const handle = await engine.start(g, { n: 1_000 });
  await eventually("the first that counts is through", () => seen.through > 899);
  await settled();
  // The first one and four that wait for it; those in between are gone.
  expect(seen.made).toBe(904);
  expect(most).toBeLessThan(8);
  door.open();
  const list = [0, ...Array.from({ length: 100 }, (_, i) => 900 + i)];
  expect(await handle.result()).toMatchObject({ status: "completed", output: { list } });
});

test("a fold that failed keeps nothing open", async () => {
  const { door, seen, count, firstHangs } = stage();
  const g = graph("fails", (input: Ref<{ n: number }>) => {
    const { i } = count({ n: input.n });
    const one = firstHangs({ i: derive(i, (n) => Math.abs(n - 1)) }, { parallel: 4, buffer: 5 }).i;
    const fold = (): number => {
      throw new RangeError("no sum");
    };
    return { sum: reduce("sum", one, 0, fold) };
  });
  const engine = await open({ check: checkInvariants });
  const handle = await engine.start(g, { n: 50 });
  // Item 1 hangs; item 0 has made the fold fail.
  await eventually("all others are through", () => seen.through === 49);
  door.open();
  expect(await handle.result()).toMatchObject({ status: "failed", errors: [{ node: "sum", code: "ReduceFailed" }] });
});

test.each(["fail", "settle"] as const)(
  "a fold that fails lets go of what waited for its turn: errors %s",
  async (errors) => {
    const { door, seen, count, firstHangs } = stage();
    const g = graph("letGo", (input: Ref<{ n: number }>) => {
      const one = firstHangs({ i: count({ n: input.n }).i }, { parallel: 4, buffer: 5 }).i;
      const fold = (): number => {
        throw new RangeError("no sum");
      };
      return { sum: reduce("sum", one, 0, fold as never, { errors }) };
    });
    const engine = await open({ check: checkInvariants });
    const handle = await engine.start(g, { n: 50 });
    await eventually("four items wait for the first", () => seen.through === 4);
    await settled();
    expect(seen.made).toBe(5);
    door.open();
    expect(await handle.result()).toMatchObject({ status: "failed", errors: [{ node: "sum", code: "ReduceFailed" }] });
    expect(seen).toEqual({ made: 50, through: 50 });
  },
);

const slowly = op("slowly", async function* ({ n }: { n: number }) {
  for (let i = 0; i < n; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    yield { i };
  }
});

// It was dropped, and what it had left was kept all the same.
test("an item that a fold waits to take is not dropped for a newer one", async () => {
  const { door, firstHangs } = stage();
  const g = graph("drops", (input: Ref<{ n: number }>) => {
    const { i } = slowly({ n: input.n });
    const slow = when(
      "slow",
      derive(i, (n) => n === 0),
      () => firstHangs({ i }, { buffer: 3, onFull: "dropOldest" }).i,
    );
    return { list: reduce("list", orElse(slow, i), [] as number[], join) };
  });
  let most = 0;
  const backend = memory();
  const engine = await open({
    backend,
    check: (run) => {
      checkInvariants(run);
      most = Math.max(most, kept(run));
    },
  });
  const handle = await engine.start(g, { n: 30 }, { id: "run" });
  await settled();
  door.open();
  const result = await handle.result();
  expect(result).toMatchObject({ status: "completed", output: { list: [0, 1, 2] } });
  // Two items, and all that were dropped behind them.
  expect(most).toBe(3);
  const { happenings } = await readJournal(backend, "run");
  expect(interpret(planOf(g), happenings).reference.outcome).toMatchObject({
    output: { list: [0, 1, 2] },
  });
});
