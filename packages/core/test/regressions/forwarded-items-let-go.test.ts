import { expect, test } from "vitest";
import { collect, derive, each, filter, graph, op, orElse, sweep, when, zip, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "../acceptance/support/engines.ts";
import { forever } from "../acceptance/support/gate.ts";

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const take = op("take", async ({ n }: { n: number }) => {
  await tick();
  return { n };
});
const hangs = op("hangs", async ({ n }: { n: number }) => {
  await forever();
  return { n };
});
const late = op("late", async ({ n }: { n: number }) => {
  for (let i = 0; i < 6; i++) await tick();
  return { n };
});
const breaks = op("breaks", async function* ({ n }: { n: number }) {
  for (let i = 0; i < n; i++) yield { n: i };
  throw new Error("broke");
});

// They were held for a partner that could not come any more, and the run stalled.
test("items that wait in a zip close when the other stream never is", async () => {
  const g = graph("absent", (input: Ref<{ rows: { xs: number[]; ys: number[] }[] }>) => {
    const row = each(input.rows);
    const pair = zip(
      {
        x: each(row.xs),
        y: each(
          filter(
            row.ys,
            derive(row.ys, (ys) => ys.length > 1),
          ),
          { name: "kept" },
        ),
      },
      { name: "pairs" },
    );
    return { xs: collect(collect(pair.x)), all: collect(collect(each(row.xs))) };
  });
  const engine = await open({ check: checkInvariants });
  const rows = [
    { xs: [1, 2], ys: [3] },
    { xs: [4], ys: [5, 6] },
  ];
  const result = await (await engine.start(g, { rows: rows.slice(0, 1) })).result();
  expect(result).toMatchObject({ status: "completed", output: { xs: [], all: [[1, 2]] } });
  await engine.close();
});

test("a zip that is swept lets its items go, and its run ends", async () => {
  const g = graph("swept", (input: Ref<{ n: number; xs: number[]; ys: number[] }>) => {
    const pair = zip({ x: each(input.xs), y: each(input.ys) }, { name: "pairs", uneven: "stop" });
    const held = hangs({ n: pair.x }, { buffer: 1 });
    const gone = sweep("stop", { on: derive(late({ n: input.n }).n, () => true), cancel: [held.n] });
    return { xs: collect(held.n), gone };
  });
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(g, { n: 1, xs: [1, 2, 3], ys: [4, 5, 6] })).toEqual({ xs: [], gone: 1 });
  await engine.close();
});

test("a zip makes every pair that can be before it fails as one of its streams does", async () => {
  const g = graph("pairs", (input: Ref<{ n: number; xs: number[] }>) => {
    const pair = zip({ x: late({ n: each(input.xs) }).n, y: breaks({ n: input.n }).n }, { name: "pairs" });
    return { xs: collect(take({ n: pair.x }).n, { errors: "settle" }) };
  });
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(g, { n: 2, xs: [1, 2, 3] })).toMatchObject({
    xs: [{ ok: true, value: 1 }, { ok: true, value: 2 }, { ok: false }],
  });
  await engine.close();
});

// Every item was dropped as soon as it made the stream full, though nobody wanted its place.
test("an item that leaves a block is dropped only for another one", async () => {
  const g = graph("drops", (input: Ref<{ xs: number[]; go: boolean }>) => {
    const left = when("w", input.go, () => ({ x: take({ n: each(input.xs) }, { name: "inner" }).n }));
    return { xs: collect(take({ n: orElse(left.x, 0) }, { buffer: 1, onFull: "dropOldest" }).n) };
  });
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(g, { xs: [1], go: true })).toEqual({ xs: [1] });
  await engine.close();
});

// A target in an arm of the item was not found.
test("a sweep in an arm reaches the earlier items that it names by a node of that arm", async () => {
  const g = graph("bargeIn", (input: Ref<{ xs: number[] }>) => {
    const x = each(input.xs);
    const said = when(
      "speak",
      derive(x, (n) => n > 0),
      () => {
        const spoken = op("say", async ({ n }: { n: number }) => {
          if (n === 1) await forever();
          return { n };
        })({ n: x }, { parallel: 2 });
        sweep("stop", { on: derive(x, (n) => n === 2), cancel: [spoken.n] });
        return { n: spoken.n };
      },
    );
    return { xs: collect(said.n) };
  });
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(g, { xs: [1, 2] })).toEqual({ xs: [2] });
  await engine.close();
});
