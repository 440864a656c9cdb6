// oxlint-disable vitest/expect-expect -- expectRefusal asserts
import { expect, test } from "vitest";
import {
  collect,
  derive,
  each,
  filter,
  graph,
  op,
  present,
  push,
  read,
  reduce,
  cell,
  append,
  type Item,
  type Ref,
} from "../../src/index.ts";
import { expectRefusal, named, plan, sketch, untyped } from "./support.ts";

const one = op("one", async (_i: { x: string; y?: string }) => ({ y: 1, ok: true as boolean, xs: ["a"] }));
const all = op("all", async (_i: { xs: string[] }) => ({ n: 1 }));
const gen = op("gen", async function* (_i: { x: string }) {
  yield { tok: "t" };
});
type Input = Ref<{ xs: string[]; ys: string[]; n: number; flag: boolean }>;
const build = (body: (input: Input) => unknown) => () => graph("g", body);

test("two unrelated streams in one call are refused", () => {
  expectRefusal(
    build((input) => one({ x: each(input.xs), y: each(input.ys) })),
    "one takes items of two unrelated streams, input.xs and input.ys",
    "pair them item by item with zip({ … }), or collect one of them first",
  );
  expectRefusal(
    build((input) => derive([each(input.xs), gen({ x: "a" }).tok], ([a, b]) => a + b)),
    "derive() takes items of two unrelated streams, input.xs and gen",
    "pair them item by item with zip({ … }), or collect one of them first",
  );
});

test("an inner item may join any outer item, at every depth", () => {
  const built = plan(
    graph("g", (input: Input) => {
      const x = each(input.xs);
      const t = gen({ x }).tok;
      const u = gen({ x: t }, { name: "gen2" }).tok;
      return one({ x: u, y: x }).y;
    }),
  );
  const slot = named(built, "one");
  expect(built.scopes[slot.scope]!.depth).toBe(3);
  expect(built.scopes[slot.scope]!.outer).toEqual([{ local: slot.local, slot: 2, hops: 2, after: false }]);
});

test("streams nest three deep and no deeper", () => {
  expectRefusal(
    build((input) => gen({ x: gen({ x: gen({ x: each(input.xs) }).tok }, { name: "b" }).tok }, { name: "c" })),
    "the items of c are 4 streams deep",
    "streams nest 3 deep at most; collect an inner one, or flatten the list with derive",
  );
});

test.each([
  ["collect()", (input: Input) => untyped(collect)(input.n), "input.n"],
  ["reduce r", (input: Input) => untyped(reduce)("r", input.n, 0, () => 0), "input.n"],
  ["filter()", (input: Input) => untyped(filter)(input.n, input.flag), "input.n"],
  ["present()", (input: Input) => untyped(present)(input.n), "input.n"],
  ["collect()", () => untyped(collect)({ a: 1 }), "a value"],
])("%s of one value is refused", (what, body, value) => {
  expectRefusal(build(body), `${what} was given ${value}, which is one value, not a stream`, "wrap its list in each()");
});

test("inside a graph that is called per item, the item is one value", () => {
  const inner = graph("inner", (input: Ref<{ x: string; xs: string[] }>) => ({
    x: input.x,
    n: all({ xs: collect(each(input.xs)) }).n,
  }));
  expect(inner.plan.findings).toEqual([]);
  const wrong = (input: Ref<{ x: string }>) => untyped(collect)(input.x);
  expectRefusal(
    () => graph("inner2", wrong),
    "collect() was given input.x, which is one value, not a stream",
    "wrap its list in each()",
  );
});

test("a filter condition lives with the item or further out", () => {
  const inner = (input: Input) => {
    const x = each(input.xs);
    return filter(x, one({ x: each(one({ x }, { name: "list" }).xs) }).ok as unknown as Ref<boolean, Item>);
  };
  expectRefusal(
    build(inner),
    "filter() keeps items of input.xs by a condition per item of list.xs",
    "the condition must be one value per item: collect it first, or filter the inner items",
  );
  expectRefusal(
    build((input) => filter(each(input.xs), untyped(one)({ x: each(input.ys) }))),
    "filter() keeps items of input.xs by a condition per item of input.ys",
    "the condition must be one value per item: collect it first, or filter the inner items",
  );
  expect(sketch(plan(graph("g", (input: Input) => filter(each(input.xs), input.flag)))).slice(3)).toEqual([
    "3 filter @1 <- 2 0",
    "4 collect @0 <- *3",
    "5 record @0 <- 4",
  ]);
});

test("after a deeper ref waits for the end of its stream, of both its streams when it is two deep", () => {
  const built = plan(
    graph("g", (input: Input) => {
      const x = each(input.xs);
      const t = gen({ x }).tok;
      const o = one({ x: t });
      return all({ xs: ["a"] }, { after: [o] });
    }),
  );
  expect(sketch(built).slice(5)).toEqual([
    "5 op one @2 <- 4",
    "6 end @1 <- *5",
    "7 end @0 <- *6",
    "8 op all @0 <- 7!",
    "9 record @0 <- 8",
  ]);
});

test("after an item of another stream waits for that stream", () => {
  const built = plan(
    graph("g", (input: Input) => {
      const a = one({ x: each(input.xs) }, { name: "a" });
      return one({ x: each(input.ys) }, { name: "b", after: [a] });
    }),
  );
  expect(named(built, "b").dependencies).toEqual([
    { slot: 5, after: false },
    { slot: 6, after: true },
  ]);
  expect(sketch(built)[6]).toBe("6 end @0 <- *3");
  expect(built.scopes[named(built, "b").scope]!.outer).toEqual([{ local: 1, slot: 6, hops: 1, after: true }]);
});

test("after a generator waits for its end, after an item in its own scope for that item", () => {
  const built = plan(
    graph("g", (input: Input) => {
      const g = gen({ x: "a" });
      all({ xs: [] }, { after: [g] });
      const x = each(input.xs);
      const a = one({ x }, { name: "a" });
      one({ x }, { name: "b", after: [a] });
      return {};
    }),
  );
  expect(sketch(built).slice(2, 5)).toEqual(["2 item @1", "3 end @0 <- *2", "4 op all @0 <- 3!"]);
  expect(named(built, "b").dependencies).toEqual([
    { slot: 6, after: false },
    { slot: 7, after: true },
  ]);
});

test("after takes refs that run", () => {
  const call = untyped(all);
  expectRefusal(
    build(() => call({ xs: [] }, { after: one({ x: "a" }) })),
    "after of op all is not a list",
    "write after: [ref]",
  );
  expectRefusal(
    build(() => call({ xs: [] }, { after: ["one"] })),
    "after of op all holds something that is not a ref",
    "name what the call waits for: the refs that other calls returned",
  );
  const fixed = graph("fixed", () => ({ a: 1 }));
  expectRefusal(
    build(() => call({ xs: [] }, { after: [fixed({}).a] })),
    "after of op all names fixed.a, which is a constant",
    "name the ref of something that runs",
  );
});

test("a stream must not wait for its own end", () => {
  const fix = "make two passes: collect the items, then start a second stream over them with each(collect(x))";
  expectRefusal(
    build((input) => {
      const x = each(input.xs);
      return one({ x, y: derive(collect(x), (xs) => String(xs.length)) });
    }),
    "one runs for every item of input.xs but needs that stream's end: the stream would block itself",
    fix,
  );
  expectRefusal(
    build((input) => {
      const x = each(input.xs);
      const total = reduce("total", one({ x }).y, 0, (a, b) => a + b);
      const later = all({ xs: [] }, { after: [total] });
      return one({ x }, { name: "late", after: [later] });
    }),
    "late runs for every item of input.xs but needs that stream's end: the stream would block itself",
    fix,
  );
  expectRefusal(
    build((input) => {
      const x = each(input.xs);
      const n = collect(x);
      return derive([gen({ x }).tok, n], ([t]) => t);
    }),
    "an edge of gen runs for every item of input.xs but needs that stream's end: the stream would block itself",
    fix,
  );
});

test("two passes over one list do not block", () => {
  const built = plan(
    graph("g", (input: Input) => {
      const first = collect(one({ x: each(input.xs) }, { name: "first" }).y);
      const x = each(input.xs, { name: "again" });
      const second = one({ x, y: derive(first, (f) => String(f.length)) }, { name: "second" });
      const third = one({ x: each(collect(x)), y: derive(first, (f) => String(f.length)) }, { name: "third" });
      return { a: second.y, b: third.y };
    }),
  );
  expect(built.streams.map(({ segment }) => segment)).toEqual(["input.xs", "again", "again.collect"]);
});

test("pushes and reads live where their values and at refs do", () => {
  const log = cell("log", append<string>());
  const built = plan(
    graph("g", (input: Input) => {
      const x = each(input.xs);
      const pushed = push(log, x);
      return { total: read(log, { after: [pushed] }), each: read(log, { after: [], at: x }) };
    }),
  );
  expect(sketch(built).slice(3)).toEqual([
    "3 push @1 <- 2",
    "4 end @0 <- *3",
    "5 read @0 <- 4!",
    "6 read @1 <- 2",
    "7 collect @0 <- *6",
    "8 record @0 <- 5 7",
  ]);
});
