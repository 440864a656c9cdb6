import { expect, test } from "vitest";
import {
  collect,
  derive,
  each,
  fallback,
  final,
  graph,
  loop,
  op,
  openEngine,
  race,
  when,
  zip,
  type Ref,
} from "../../src/index.ts";

const gen = op("gen", function* ({ n }: { n: number }) {
  for (let k = 0; k < n; k++) yield { k };
  return { total: n };
});
const one = op("one", async ({ n }: { n: number }) => ({ n }));
const both = op("both", async ({ a, b }: { a: number; b: unknown }) => ({ y: a + Number(b) }));
const withAll = op("withAll", (i: { x: number; all: unknown }) => ({ y: i.x }));

type Body = (input: Ref<{ n: number; xs: number[]; ys: number[] }>) => unknown;
const build = (body: Body) => (): unknown => graph("g", body as never);
const blocked = /block itself/;

const turnsOf = (input: Ref<{ n: number; xs: number[]; ys: number[] }>) =>
  loop("turns", { max: 3 }, { n: input.n }, (s) => {
    const { k } = gen({ n: s.n });
    const { n } = one({ n: s.n });
    return { next: { n }, until: derive(n, (v) => v > 0), result: { n, s: k } };
  });

// With a small buffer it blocked for ever: the loop ends when its items went out, and they waited for its result.
test("K5 an op per item that leaves a loop cannot read the loop's result", () => {
  expect(
    build((input) => {
      const turns = turnsOf(input);
      both({ a: turns.s, b: turns.n }, { buffer: 1 });
      return {};
    }),
  ).toThrow(/both runs for every item of turns\.s but needs the end of turns\/gen, whose items are passed on to it/);
  expect(
    build((input) => {
      const turns = turnsOf(input);
      both({ a: turns.s, b: 1 }, { after: [turns.n] });
      return {};
    }),
  ).toThrow(blocked);
});

test("K5 the same for what leaves a fallback, an arm whose stream is collected, and a call with a time limit", () => {
  expect(
    build((input) => {
      const safe = fallback(
        "safe",
        () => ({ s: gen({ n: input.n }).k, n: one({ n: input.n }).n }),
        () => ({ n: 0 }) as never,
      ) as unknown as { s: Ref<number>; n: Ref<number> };
      both({ a: safe.s, b: safe.n });
      return {};
    }),
  ).toThrow(blocked);
  const arm = (input: Ref<{ n: number }>) => () => {
    const { k } = gen({ n: input.n });
    return { s: k, all: collect(k), n: one({ n: input.n }).n };
  };
  expect(
    build((input) => {
      const said = when(
        "go",
        derive(input.n, (n) => n > 0),
        arm(input),
      ) as never as { s: Ref<number>; all: Ref<number> };
      both({ a: said.s, b: said.all });
      return {};
    }),
  ).toThrow(blocked);
  const called = graph("called", (input: Ref<{ n: number }>) => arm(input)());
  expect(
    build((input) => {
      const out = called({ n: input.n }, { timeout: { total: "1m" } });
      both({ a: out.s, b: out.all });
      return {};
    }),
  ).toThrow(blocked);
  expect(
    build((input) => {
      const won = race("first", { a: arm(input), b: arm(input) }) as never as { s: Ref<number>; all: Ref<number> };
      both({ a: won.s, b: won.all });
      return {};
    }),
  ).toThrow(blocked);
});

test("what leaves an arm may be read with what the arm gives at once, and runs on the smallest buffer", async () => {
  const g = graph("g", (input: Ref<{ n: number }>) => {
    const said = when(
      "go",
      derive(input.n, (n) => n > 0),
      () => ({ s: gen({ n: input.n }).k, n: one({ n: input.n }).n }),
    ) as never as { s: ReturnType<typeof gen>["k"]; n: Ref<number> };
    return { ys: collect(both({ a: said.s, b: said.n }, { buffer: 1 }).y) };
  });
  await using engine = await openEngine();
  expect(await engine.run(g, { n: 5 })).toEqual({ ys: [5, 6, 7, 8, 9] });
});

test("what leaves a loop may be read with its result in a second pass", async () => {
  const g = graph("g", (input: Ref<{ n: number; xs: number[]; ys: number[] }>) => {
    const turns = turnsOf(input);
    return { ys: collect(both({ a: each(collect(turns.s)), b: turns.n }, { buffer: 1 }).y) };
  });
  await using engine = await openEngine();
  expect(await engine.run(g, { n: 3, xs: [], ys: [] })).toEqual({ ys: [3, 4, 5] });
});

test("K5 an op per pair cannot need the end of a stream that is paired", () => {
  expect(
    build((input) => {
      const x = each(input.xs);
      const pair = zip({ x, y: each(input.ys) }, { name: "pairs" });
      withAll({ x: pair.y, all: collect(x) });
      return {};
    }),
  ).toThrow(/withAll runs for every item of pairs but needs the end of input\.xs, whose items are passed on to it/);
  expect(
    build((input) => {
      const made = gen({ n: input.n });
      const pair = zip({ k: made.k, y: each(input.ys) }, { name: "pairs" });
      withAll({ x: pair.y, all: final(made) });
      return {};
    }),
  ).toThrow(blocked);
});

test("K5 a zip is refused for what it pairs, not for what its streams are made of", async () => {
  expect(
    build((input) => {
      const x = each(input.xs);
      const y = each(input.ys);
      zip({ x: withAll({ x, all: collect(y) }).y, y }, { name: "pairs" });
      return {};
    }),
  ).toThrow(/zip\(\) of x waits for the end of input\.ys, whose items wait for their pair/);
  const passes = graph("passes", (input: Ref<{ xs: number[]; ys: number[] }>) => {
    const pair = zip({ x: each(collect(each(input.xs)), { name: "again" }), y: each(input.ys) }, { name: "pairs" });
    return { all: collect(derive(pair, ({ x, y }) => x + y)) };
  });
  await using engine = await openEngine();
  expect(await engine.run(passes, { xs: [1, 2], ys: [3, 4] })).toEqual({ all: [4, 6] });
});

test("K5 an item that is paired cannot need the end of the stream it is paired with, whatever of it is paired", () => {
  expect(
    build((input) => {
      const x = each(input.xs);
      const y = each(input.ys);
      zip({ x, y }, { name: "pairs" });
      withAll({ x, all: collect(y) });
      return {};
    }),
  ).toThrow(/the streams "input\.xs" and "input\.ys" wait for each other/);
});
