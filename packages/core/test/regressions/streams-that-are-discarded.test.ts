import { expect, test } from "vitest";
import {
  collect,
  derive,
  each,
  filter,
  graph,
  op,
  orElse,
  race,
  reduce,
  sweep,
  when,
  zip,
  type Ref,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "../acceptance/support/engines.ts";
import { forever, gate } from "../acceptance/support/gate.ts";

/** Of its first attempt the first item hangs, the second is through when the attempt fails. */
function brokenAttempt() {
  const through = gate();
  const tokens = op(
    "tokens",
    { onResume: "ephemeral", retry: { attempts: 2, initial: 1, on: () => true } },
    async function* (_input: { from: number }, ctx) {
      for (let n = 0; n < 2; n++) yield { n, attempt: ctx.attempt };
      await through.opened;
      if (ctx.attempt === 1) throw new Error("the line was cut");
    },
  );
  const pass = op("pass", { effect: "pure" }, async ({ n, attempt }: { n: number; attempt: number }) => {
    if (attempt === 1 && n === 0) await forever();
    setImmediate(() => through.open());
    return { said: `${attempt}.${n} ` };
  });
  const folded: string[] = [];
  const fold = (all: string, next: string): string => {
    folded.push(next);
    return all + next;
  };
  const flow = graph("flow", (input: Ref<{ from: number }>) => {
    const { n, attempt } = tokens({ from: input.from });
    return { all: reduce("all", pass({ n, attempt }, { parallel: 2 }).said, "", fold) };
  });
  return { flow, folded };
}

test("a fold over an attempt that failed does not go on with items that waited for their turn", async () => {
  const { flow, folded } = brokenAttempt();
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(flow, { from: 0 })).toEqual({ all: "2.0 2.1 " });
  expect(folded).toEqual(["2.0 ", "2.1 "]);
});

test("what was open in an item of an attempt that failed is swept, to an observer", async () => {
  const settled: unknown[] = [];
  const engine = await open({
    check: checkInvariants,
    observer: { settled: ({ path, as }) => settled.push([path, as]) },
  });
  await engine.run(brokenAttempt().flow, { from: 0 });
  expect(settled).toEqual([["flow/tokens[0]/pass", "swept"]]);
});

// The zip never is, and an item for it has arrived in the same step: the queue has not got to it.
test("an item that arrived in a zip just before the other stream never was is let go", async () => {
  const same = (list: number[]): number[] => list;
  const flow = graph("flow", (input: Ref<{ rows: { xs: number[]; ys: number[] }[] }>) => {
    const { xs, ys } = each(input.rows);
    const isLong = derive(ys, (list) => list.length > 1);
    const x = each(derive(derive(xs, same), same), { name: "x" });
    const y = each(derive(filter(ys, isLong), same), { name: "y" });
    return { xs: collect(collect(zip({ x, y }, { name: "pairs" }).x)) };
  });
  const engine = await open({ check: checkInvariants });
  const result = await (await engine.start(flow, { rows: [{ xs: [1, 2], ys: [3] }] })).result();
  expect(result).toMatchObject({ status: "completed", errors: [], output: { xs: [] } });
});

// Its items were held for a stream outside that was over, without credit for the next: whoever read them inside stalled.
test("items of a stream of streams go on inside when what else the arm returns broke before it won", async () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const refuses = op("refuses", async (_input: { n: number }): Promise<{ n: number }> => {
    throw new Error("no");
  });
  const take = op("take", async ({ n }: { n: number }) => {
    for (let i = 0; i < 3; i++) await turn();
    return { n };
  });
  const lists: (readonly number[])[] = [];
  const note = op("note", ({ list }: { list: readonly number[] }) => ({ size: lists.push(list) }));
  const flow = graph("flow", (input: Ref<{ n: number; rows: { xs: number[] }[] }>) => {
    const won = race("first", {
      only: () => {
        const { n } = take({ n: each(each(input.rows).xs) }, { buffer: 1 });
        note({ list: collect(n) });
        return { n, other: refuses({ n: input.n }).n };
      },
    });
    return { ns: collect(collect(won.n)), other: won.other };
  });
  const engine = await open({ check: checkInvariants });
  const { status, errors } = await (
    await engine.start(flow, { n: 1, rows: [{ xs: [1, 2, 3] }, { xs: [4, 5] }] })
  ).result();
  expect([status, errors.map(({ node }) => node)]).toEqual(["failed", ["first/only/refuses"]]);
  expect(lists.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

// Nothing inside was swept with it, for nothing more comes from there: its items stayed, and the run stalled.
test("items that wait to go into an item outside are let go when that is swept after their own stream failed", async () => {
  const broken = gate();
  const count = op("count", async function* ({ n }: { n: number }) {
    if (n === 0) await broken.opened;
    for (let i = 0; i <= n; i++) yield { i };
    if (n > 0) throw new Error("broke");
  });
  let reads = 0;
  const read = op("read", async ({ i }: { i: number }) => (reads++ === 0 ? forever() : { i }));
  const flow = graph("flow", (input: Ref<{ go: boolean; ns: number[] }>) => {
    const { i } = when("some", input.go, () => ({ i: count({ n: each(input.ns) }).i }));
    const left = collect(read({ i: orElse(i, 0) }, { buffer: 1 }).i);
    const swept = sweep("stop", { on: derive(left, () => true), cancel: [left] });
    return { all: collect(left), swept: collect(swept) };
  });
  const engine = await open({ check: checkInvariants, observer: { failed: () => broken.open() } });
  const result = await (await engine.start(flow, { go: true, ns: [2, 0] })).result();
  expect(result).toMatchObject({
    status: "completed",
    output: { all: [[0]], swept: [1] },
    errors: [{ node: "some/then/count", count: 1 }],
  });
  expect(reads).toBe(2);
});
