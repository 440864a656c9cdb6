// oxlint-disable vitest/expect-expect -- expectRefusal asserts
import { expect, test } from "vitest";
import { cell, add, collect, derive, each, graph, op, orElse, reduce, type Ref } from "../../src/index.ts";
import { expectRefusal, plan, untyped } from "./support.ts";

const one = op("one", async (_i: { x: string }) => ({ y: 1, xs: ["a"], "odd key": ["b"] }));
const RULE = "names are a letter or _, then up to 63 letters, digits, _ or -";

test("a name used twice in one naming scope asks for { name }", () => {
  expectRefusal(
    () =>
      graph("g", () => {
        one({ x: "a" });
        one({ x: "b" });
        return {};
      }),
    '"one" is used twice in graph g',
    'give this call of op one a name of its own: { name: "…" }',
  );
  expectRefusal(
    () =>
      graph("g", (input: Ref<{ xs: number[] }>) => {
        const x = each(input.xs);
        return [reduce("sum", x, 0, (a, b) => a + b), reduce("sum", x, 0, (a, b) => a + b)];
      }),
    '"sum" is used twice in graph g',
    "give this reduce a name of its own: its first argument",
  );
});

test("the same name in two calls of a graph is two names", () => {
  const inner = graph("inner", (input: Ref<{ x: string }>) => one({ x: input.x }).y);
  const built = plan(
    graph("g", () => ({
      a: inner({ x: "1" }, { name: "a" }),
      b: inner({ x: "2" }, { name: "b" }),
      own: one({ x: "3" }).y,
    })),
  );
  expect(built.slots.map(({ name }) => name).filter(Boolean)).toEqual(["input", "a/one", "b/one", "one"]);
});

test.each([
  ["", '"" cannot name an op'],
  ["a b", '"a b" cannot name an op'],
  ["a/b", '"a/b" cannot name an op'],
  ["a[0]", '"a[0]" cannot name an op'],
  ["a#1", '"a#1" cannot name an op'],
  ["1a", '"1a" cannot name an op'],
  ["x".repeat(65), `"${"x".repeat(65)}" cannot name an op`],
])("the name %j is refused", (name, message) => {
  expectRefusal(() => op(name, () => ({})), message, RULE);
});

test("names are checked wherever one is given", () => {
  const g = (body: (input: Ref<{ xs: string[] }>) => unknown) => () => graph("g", body);
  expectRefusal(() => graph("a b", () => ({})), '"a b" cannot name a graph', RULE);
  expectRefusal(
    g(() => one({ x: "a" }, { name: "a.b" })),
    '"a.b" cannot name this call of op one',
    RULE,
  );
  expectRefusal(
    g((input) => each(input.xs, { name: "a b" })),
    '"a b" cannot name this stream',
    RULE,
  );
  expectRefusal(() => cell("a b", add()), '"a b" cannot name a cell', RULE);
  expectRefusal(() => untyped(op)(undefined, () => ({})), "the name of an op is missing", RULE);
  expectRefusal(() => untyped(op)(7, () => ({})), "the name of an op is not a string but number", RULE);
  expectRefusal(
    () => op("input", () => ({})),
    '"input" cannot name an op',
    "it names the graph's own input; choose another name",
  );
});

test("a stream made from derive or a bare list needs a name", () => {
  const fix = 'give the stream a name: each(list, { name: "…" })';
  expectRefusal(
    () => graph("g", (input: Ref<{ xs: string[] }>) => each(derive(input.xs, (xs) => xs.slice(1)))),
    "each() was given derive(input.xs) that has no name of its own",
    fix,
  );
  expectRefusal(
    () => graph("g", () => untyped(each)(["a"])),
    "each() was given a list that has no name of its own",
    fix,
  );
  expectRefusal(
    () => graph("g", () => each(one({ x: "a" })["odd key"])),
    "one.odd key cannot name a stream in paths",
    fix,
  );
  const built = plan(
    graph("g", (input: Ref<{ xs: string[] }>) =>
      each(
        derive(input.xs, (xs) => xs.slice(1)),
        { name: "rest" },
      ),
    ),
  );
  expect(built.streams[0]!.segment).toBe("rest");
});

test("each twice on one ref is one stream; another name or another body makes another", () => {
  const inner = graph("inner", (input: Ref<{ list: string[] }>) => one({ x: each(input.list) }).y);
  const built = plan(
    graph("g", (input: Ref<{ xs: string[] }>) => {
      const a = one({ x: each(input.xs) }, { name: "a" });
      const b = one({ x: each(input.xs) }, { name: "b" });
      const c = one({ x: each(input.xs, { name: "again" }) }, { name: "c" });
      return { a: a.y, b: b.y, c: c.y, d: inner({ list: input.xs }) };
    }),
  );
  expect(built.streams.map(({ segment }) => segment)).toEqual(["input.xs", "again", "inner/input.list"]);
  expect(built.streams[0]!.lanes.map((slot) => built.slots[slot]!.name)).toEqual(["a", "b"]);
});

test("segments: fields, passed-through edges and collected lists keep the name of their source", () => {
  const built = plan(
    graph("g", (input: Ref<{ xs?: string[]; rows: { cells: string[] }[] }>) => {
      const x = each(orElse(input.xs, []));
      const row = each(input.rows);
      const cellRef = each(row.cells);
      const second = each(collect(one({ x }).y));
      return { x, cellRef, second };
    }),
  );
  expect(built.streams.map(({ segment }) => segment)).toEqual([
    "input.xs",
    "input.rows",
    "input.rows.cells",
    "one.y.collect",
  ]);
});

test("two streams of one context must have different segments", () => {
  expectRefusal(
    () => graph("g", (input: Ref<{ xs?: string[] }>) => [each(orElse(input.xs, ["a"])), each(orElse(input.xs, ["b"]))]),
    "two streams would be called input.xs",
    'give one of them a name: each(list, { name: "…" })',
  );
});
