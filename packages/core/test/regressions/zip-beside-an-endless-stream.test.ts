import { expect, test } from "vitest";
import { collect, derive, each, graph, loop, op, reduce, sweep, zip, type Graph, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { crashEverywhere, open } from "../acceptance/support/engines.ts";
import { eventually, forever, gate } from "../acceptance/support/gate.ts";

const check = { check: checkInvariants };
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const seen = { stopped: 0 };
const endless = op("endless", async function* () {
  try {
    for (let k = 0; ; k++) {
      await tick();
      yield { k };
    }
  } finally {
    seen.stopped++;
  }
});
const unsafeSource = op("unsafeSource", { effect: "unsafe" }, async function* ({ n }: { n: number }) {
  for (let k = 0; k < n; k++) yield { k };
});
const twice = op("twice", async ({ k }: { k: number }) => ({ k: k * 2 }));
const firstHangs = op("firstHangs", async ({ k }: { k: number }) => (k === 0 ? forever() : { k }));

const paired = (uneven: "fail" | "stop"): Graph<{ xs: number[] }, { sums: number[] }> =>
  graph("paired", (input: Ref<{ xs: number[] }>) => {
    const pair = zip({ x: each(input.xs), k: twice({ k: endless({}).k }).k }, { name: "pairs", uneven });
    return { sums: collect(derive(pair, ({ x, k }) => x + k)) };
  });

test("a zip that ends with the shorter stream stops what makes an endless one, also after a crash at any record", async () => {
  const { stopped } = seen;
  const { result } = await crashEverywhere(
    paired("stop"),
    { xs: [1, 2, 3] },
    ({ cut, result: again }) =>
      expect({ cut, again }).toMatchObject({ cut, again: { status: "completed", output: { sums: [1, 4, 7] } } }),
    check,
  );
  expect(result).toMatchObject({ status: "completed", output: { sums: [1, 4, 7] }, errors: [] });
  await eventually("generators are stopped at their next item", () => seen.stopped > stopped);
});

test("a zip fails as soon as an endless stream has no partner, names the shorter one and tells what is known", async () => {
  await crashEverywhere(
    paired("fail"),
    { xs: [1] },
    ({ result }) =>
      expect(result).toMatchObject({
        status: "failed",
        errors: [
          {
            code: "UnevenZip",
            message: 'the streams of pairs are not of one length: "input.xs" ended after 1 item, "endless" went on',
          },
        ],
      }),
    check,
  );
});

test("the failure of an uneven zip is reported at the shorter stream, wherever it stands, with the length of the other", async () => {
  const g = graph("g", (input: Ref<{ xs: number[]; n: number }>) => {
    const pair = zip({ x: each(input.xs), k: unsafeSource({ n: input.n }).k }, { name: "pairs" });
    return { sums: collect(derive(pair, ({ x, k }) => x + k)) };
  });
  const engine = await open(check);
  const result = await (await engine.start(g, { xs: [1, 2, 3, 4, 5], n: 2 })).result();
  expect(result.errors).toMatchObject([
    {
      node: "unsafeSource",
      message: 'the streams of pairs are not of one length: "unsafeSource" ended after 2 items, "input.xs" has 5',
    },
  ]);
});

test("an item that waits for its turn makes a zip uneven as soon as it is there", async () => {
  const g = graph("g", (input: Ref<{ xs: number[] }>) => {
    const late = firstHangs({ k: endless({}).k }, { parallel: 2 }).k;
    return { xs: collect(zip({ x: each(input.xs), k: late }, { name: "pairs" }).x) };
  });
  const engine = await open(check);
  // No pair can be made of the first; that there is a second is certain.
  const result = await (await engine.start(g, { xs: [] })).result();
  expect(result.errors).toMatchObject([
    { message: expect.stringMatching(/"input\.xs" ended after 0 items, "endless" went on/) },
  ]);
});

test("what else is done with the items of the longer stream goes on to its end", async () => {
  const listed: number[] = [];
  const note = op("note", ({ x }: { x: number }) => {
    listed.push(x);
    return { x };
  });
  const g = graph("g", (input: Ref<{ xs: number[]; ys: number[]; n: number }>) => {
    const x = each(input.xs);
    note({ x });
    const { k } = unsafeSource({ n: input.n });
    const pair = zip({ x, k, y: each(input.ys) }, { name: "pairs", uneven: "stop" });
    const counted = each(input.xs, { name: "counted" });
    const other = zip({ c: counted, y: each(input.ys, { name: "again" }) }, { name: "other", uneven: "stop" });
    return {
      pairs: collect(pair.y),
      others: collect(other.c),
      count: reduce("count", counted, 0, (n) => n + 1),
    };
  });
  const engine = await open(check);
  expect(await engine.run(g, { xs: [1, 2, 3], ys: [9], n: 4 })).toEqual({ pairs: [9], others: [1], count: 3 });
  expect(listed).toEqual([1, 2, 3]);
});

test("a stream in two zips is stopped by the second that is over, and so are the parts of a zip that is paired itself", async () => {
  const g = graph("g", (input: Ref<{ xs: number[]; ys: number[]; zs: number[] }>) => {
    const { k } = endless({});
    const a = zip({ x: each(input.xs), k }, { name: "a", uneven: "stop" });
    const b = zip({ y: each(input.ys), k }, { name: "b", uneven: "stop" });
    const left = endless({}, { name: "left" }).k;
    const inner = zip({ left, right: endless({}, { name: "right" }).k }, { name: "inner" });
    const outer = zip({ inner, z: each(input.zs) }, { name: "outer", uneven: "stop" });
    return {
      a: collect(a.k),
      b: collect(b.k),
      outer: collect(derive(outer, ({ inner: i, z }) => i.left + i.right + z)),
    };
  });
  const engine = await open(check);
  const output = await engine.run(g, { xs: [1], ys: [1, 2, 3], zs: [10, 20] });
  expect(output).toEqual({ a: [0], b: [0, 1, 2], outer: [10, 22] });
});

test("what leaves a loop for a zip that is over is stopped in every iteration", async () => {
  const g = graph("g", (input: Ref<{ xs: number[] }>) => {
    const turns = loop("turns", { max: 5 }, { n: 0 }, (s) => {
      const { k } = endless({});
      const n = derive(s.n, (before) => before + 1);
      return { next: { n }, until: derive(n, (count) => count === 3), result: { n, s: k } };
    });
    const pair = zip({ x: each(input.xs), k: turns.s }, { name: "pairs", uneven: "stop" });
    return { ks: collect(pair.k), n: turns.n };
  });
  const { result } = await crashEverywhere(
    g,
    { xs: [7, 8] },
    ({ result: again }) => expect(again).toMatchObject({ output: { ks: [0, 1], n: 3 } }),
    check,
  );
  expect(result).toMatchObject({ status: "completed", output: { ks: [0, 1], n: 3 }, errors: [] });
});

test("a sweep of the pairs stops the streams that nothing else reads", async () => {
  const door = gate();
  const opens = op("opens", async () => {
    await door.opened;
    return { now: true };
  });
  const g = graph("g", () => {
    const pair = zip({ l: endless({}).k, r: endless({}, { name: "right" }).k }, { name: "pairs" });
    const gone = sweep("stop", { on: opens({}).now, cancel: [pair.l] });
    return { l: collect(derive(pair.l, (l) => (l > 5 ? (door.open(), l) : l))), gone };
  });
  const engine = await open(check);
  const { l } = await engine.run(g, {});
  expect(l.slice(0, 7)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test("a sweep of the pairs stops them at once, also one that has no next item", async () => {
  const silent = op("silent", async function* () {
    yield { k: 0 };
    await forever();
  });
  const door = gate();
  const opens = op("opens", async () => {
    await door.opened;
    return { now: true };
  });
  const g = graph("g", () => {
    const pair = zip({ l: silent({}).k, r: silent({}, { name: "right" }).k }, { name: "pairs" });
    const gone = sweep("stop", { on: opens({}).now, cancel: [pair.l] });
    return { l: collect(derive(pair.l, (l) => (door.open(), l))), gone };
  });
  const engine = await open(check);
  expect(await engine.run(g, {})).toMatchObject({ l: [0] });
});
