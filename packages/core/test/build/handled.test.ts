import { expect, test } from "vitest";
import { append, cell, collect, derive, each, graph, op, push, reduce, type Ref } from "../../src/index.ts";
import { named, plan } from "./support.ts";

const one = op("one", async (_i: { x: string }) => ({ y: 1 }));
const gen = op("gen", async function* (_i: { x: string }) {
  yield { tok: "t" };
});
const use = op("use", async (_i: { v: unknown }) => ({ z: 1 }));
type Input = Ref<{ xs: string[]; a: string }>;

const handled = (body: (input: Input) => unknown, name: string): boolean => named(plan(graph("g", body)), name).handled;

test("a failure that only a skip or settle meets is handled", () => {
  expect(handled((i) => collect(one({ x: each(i.xs) }).y, { errors: "skip" }), "one")).toBe(true);
  expect(handled((i) => collect(one({ x: each(i.xs) }).y, { errors: "settle" }), "one")).toBe(true);
  expect(
    handled(
      (i) =>
        reduce(
          "r",
          derive(one({ x: each(i.xs) }).y, (y) => y),
          0,
          (a) => a,
          { errors: "skip" },
        ),
      "one",
    ),
  ).toBe(true);
});

test("a failure that reaches an output, a failing collect or a dead end is not", () => {
  expect(handled((i) => one({ x: i.a }).y, "one")).toBe(false);
  expect(handled((i) => collect(one({ x: each(i.xs) }).y), "one")).toBe(false);
  expect(
    handled((i) => {
      one({ x: i.a });
      return {};
    }, "one"),
  ).toBe(false);
  expect(handled((i) => one({ x: each(i.xs) }).y, "one")).toBe(false);
});

test("every path counts: one that is not handled is enough", () => {
  const body = (i: Input) => {
    const o = one({ x: each(i.xs) });
    const rows = collect(o.y, { errors: "settle" });
    use({ v: o.y });
    return rows;
  };
  expect(handled(body, "one")).toBe(false);
  const log = cell("log", append<number>());
  const pushed = (i: Input) => {
    const o = one({ x: each(i.xs) });
    push(log, o.y);
    return collect(o.y, { errors: "settle" });
  };
  expect(handled(pushed, "one")).toBe(false);
});

test("a later skip handles what a failing collect passed on", () => {
  const body = (i: Input) => {
    const x = each(i.xs);
    const inner = collect(one({ x: gen({ x }).tok }).y);
    return collect(inner, { errors: "skip" });
  };
  expect(handled(body, "one")).toBe(true);
  expect(handled(body, "gen")).toBe(true);
});

test("the end of a stream is no path for its items, and one for the stream itself", () => {
  const body = (i: Input) => {
    const o = one({ x: each(i.xs) });
    use({ v: 1 }, { after: [o] });
    return collect(o.y, { errors: "skip" });
  };
  expect(handled(body, "one")).toBe(true);
  const only = (i: Input) => use({ v: 1 }, { after: [one({ x: each(i.xs) })] });
  expect(handled(only, "one")).toBe(false);
});

test("a stream that fails is handled by settle, not by skip", () => {
  expect(handled((i) => collect(gen({ x: i.a }).tok, { errors: "settle" }), "gen")).toBe(true);
  expect(handled((i) => collect(gen({ x: i.a }).tok, { errors: "skip" }), "gen")).toBe(false);
  expect(
    handled((i) => {
      gen({ x: i.a });
      return {};
    }, "gen"),
  ).toBe(false);
});
