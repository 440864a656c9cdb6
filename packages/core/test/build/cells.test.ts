// oxlint-disable vitest/expect-expect -- expectRefusal asserts
import { expect, test } from "vitest";
import {
  add,
  append,
  cell,
  collect,
  each,
  graph,
  last,
  max,
  merge,
  min,
  op,
  push,
  read,
  type Ref,
} from "../../src/index.ts";
import { expectRefusal, plan, refusal, untyped } from "./support.ts";

const one = op("one", async (_i: { x: string }) => ({ y: "y", n: 1 }));
type Input = Ref<{ xs: string[]; a: string; b: string }>;
const FIX = "name that push, or something after it, in the read's after; or say { allowRace: true }";
const LAST_FIX =
  "order them with after (or, per item of one stream, with ordered: true), use a reducer that takes any order, or say cell(name, reducer, { allowRace: true })";

test("reducers fold without changing what they are given", () => {
  const list: string[] = Object.freeze(["a"]) as string[];
  expect(append<string>().reduce(list, "b")).toEqual(["a", "b"]);
  expect([add().init, add().reduce(1, 2)]).toEqual([0, 3]);
  expect([min().init, min().reduce(undefined, 3), min().reduce(3, 2), min().reduce(2, 3)]).toEqual([
    undefined,
    3,
    2,
    2,
  ]);
  expect([max().init, max().reduce(undefined, 3), max().reduce(3, 4), max().reduce(4, 3)]).toEqual([
    undefined,
    3,
    4,
    4,
  ]);
  expect(merge<{ a: number; b?: number }>({ a: 1 }).reduce({ a: 1 }, { b: 2 })).toEqual({ a: 1, b: 2 });
  expect(merge().init).toEqual({});
  expect([last("x").init, last("x").reduce("x", "y")]).toEqual(["x", "y"]);
});

test("a plan has one cell per cell that is used, with its initial value and reducer", () => {
  const log = cell("log", append<string>());
  const own = cell("own", { init: 1, reduce: (a: number, s: string) => a + s.length });
  const built = plan(
    graph("g", (input: Input) => {
      const a = push(log, input.a);
      const b = push(own, "four");
      const c = push(log, input.b);
      return { log: read(log, { after: [a, c] }), own: read(own, { after: [b] }) };
    }),
  );
  expect(built.cells.map(({ name, initial }) => [name, initial])).toEqual([
    ["log", []],
    ["own", 1],
  ]);
  expect(built.cells[1]!.reduce(1, "four")).toBe(5);
  expect(built.slots.map(({ cell: id }) => id)).toEqual([-1, 0, 1, 0, 0, 1, -1]);
});

test("a read must be after every push", () => {
  const log = cell("log", append<string>());
  expectRefusal(
    () =>
      graph("g", (input: Input) => {
        const o = one({ x: input.a });
        const a = push(log, input.a);
        push(log, o.y);
        return read(log, { after: [a] });
      }),
    "read() of cell log may come before the push of one.y",
    FIX,
  );
  expectRefusal(
    () =>
      graph("g", (input: Input) => {
        push(log, input.a);
        return untyped(read)(log, {});
      }),
    "read() of log does not say when",
    "name the pushes it waits for: read(cell, { after: [pushed] }); or the item it is read at: read(cell, { at: item })",
  );
});

test("a read may be after a push by data, by after, or through the end of the push's stream", () => {
  const log = cell("log", append<string>());
  const build = (after: (input: Input) => readonly Ref<unknown>[]) => () =>
    graph("g", (input: Input) => read(log, { after: after(input) }));
  expect(build((input) => [one({ x: input.b }, { after: [push(log, input.a)] })])).not.toThrow();
  expect(build((input) => [push(log, each(input.xs)) as Ref<unknown>])).not.toThrow();
  const chained = (input: Input) => {
    const x = each(input.xs);
    const pushed = push(log, x);
    return [collect(one({ x }, { after: [pushed] }).y)];
  };
  expect(build(chained)).not.toThrow();
  const beside = (input: Input) => {
    const x = each(input.xs);
    push(log, x);
    return [collect(one({ x }).y)];
  };
  expect(refusal(build(beside)).message).toContain("may come before the push of input.xs");
});

test("a read inside an item is not after the pushes of other items", () => {
  const log = cell("log", append<string>());
  const body = (options: object) => (input: Input) => {
    const pushed = push(log, each(input.xs));
    return one({ x: untyped(read)(log, { after: [pushed], ...options }) });
  };
  // Its scope is the run's: the ends of the streams come before it.
  expect(() => graph("g", body({}))).not.toThrow();
  const perItem = graph("perItem", (input: Ref<{ x: string }>) => {
    const mine = cell("mine", append<string>());
    return read(mine, { after: [push(mine, input.x)] });
  });
  expectRefusal(
    () => graph("g", (input: Input) => perItem({ x: each(input.xs) })),
    "read() of cell perItem/mine may come before the push of input.xs",
    FIX,
  );
  expect(() =>
    graph("g", (input: Input) => {
      const x = each(input.xs);
      push(log, x);
      return [read(log, { after: [], at: x }), read(log, { at: x })];
    }),
  ).not.toThrow();
  expectRefusal(
    () => graph("g", () => untyped(read)(log, { allowRace: true })),
    "read() of log does not say when",
    "name the pushes it waits for: read(cell, { after: [pushed] }); or the item it is read at: read(cell, { at: item })",
  );
  expect(() =>
    graph("g", (input: Input) => {
      push(log, each(input.xs));
      return read(log, { after: [], allowRace: true });
    }),
  ).not.toThrow();
});

test("R02 P1.8 unordered writers of a cell that keeps the last update are refused, naming cell and ops", () => {
  const status = cell("status", last("new"));
  const racy = cell("racy", last("new"), { allowRace: true });
  const two = op("two", async (_i: { x: string }) => ({ y: "y" }));
  const writers = (into: typeof status, ordered: boolean) => () =>
    graph("g", (input: Input) => {
      const a = push(into, one({ x: input.a }).y);
      const b = push(into, two({ x: input.b }, ordered ? { after: [a] } : {}).y);
      return read(into, { after: [a, b] });
    });
  expectRefusal(
    writers(status, false),
    "cell status keeps the last update, but nothing orders the pushes of one.y and two.y",
    LAST_FIX,
  );
  expect(writers(status, true)).not.toThrow();
  expect(writers(racy, false)).not.toThrow();
  expectRefusal(
    () => graph("g", (input: Input) => push(status, one({ x: each(input.xs) }).y)),
    "cell status keeps the last update, but the push of one.y runs per item of input.xs, in no fixed order",
    LAST_FIX,
  );
});

test("cells made in a body belong to it; cells of one name in one plan are refused", () => {
  const inner = graph("inner", (input: Ref<{ x: string }>) => {
    const mine = cell("mine", append<string>());
    return read(mine, { after: [push(mine, input.x)] });
  });
  const built = plan(
    graph("g", (input: Input) => ({
      a: inner({ x: input.a }, { name: "a" }),
      b: inner({ x: input.b }, { name: "b" }),
    })),
  );
  expect(built.cells.map(({ name }) => name)).toEqual(["a/mine", "b/mine"]);
  const log1 = cell("log", add());
  const log2 = cell("log", add());
  expectRefusal(
    () => graph("g", () => [push(log1, 1), push(log2, 2)]),
    "two cells are called log in graph g",
    "give one of them another name",
  );
  let leaked = log1;
  graph("a", () => {
    leaked = cell("leaked", add());
    return {};
  });
  expectRefusal(
    () => graph("b", () => push(leaked, 1)),
    "cell leaked was made in the body of graph a but is used in graph b",
    "make it outside of the bodies to share it",
  );
});

test("what is no cell or no reducer is refused", () => {
  expectRefusal(
    () => graph("g", () => untyped(push)({ name: "x" }, 1)),
    "push() was not given a cell",
    "make one with cell(name, reducer)",
  );
  expectRefusal(
    () => untyped(cell)("c", 0),
    "cell c has no reducer",
    "give one of append(), add(), min(), max(), merge(), last(value), messagesById(), orderedBy(key), or { init, reduce }",
  );
  expectRefusal(
    () => untyped(cell)("c", { reduce: () => 0 }),
    "cell c has no reducer",
    "give one of append(), add(), min(), max(), merge(), last(value), messagesById(), orderedBy(key), or { init, reduce }",
  );
});

test("two calls of a graph share a cell made outside, and a read in one is not after the pushes of the other", () => {
  const shared = cell("shared", append<string>());
  const inner = graph("inner", (input: Ref<{ x: string }>) => read(shared, { after: [push(shared, input.x)] }));
  expectRefusal(
    () => graph("g", (input: Input) => [inner({ x: input.a }, { name: "a" }), inner({ x: input.b }, { name: "b" })]),
    "read() of cell shared may come before the push of input.b",
    FIX,
  );
});
