// oxlint-disable vitest/expect-expect -- expectRefusal asserts
import { expect, test } from "vitest";
import { z } from "zod";
import type { Template } from "../../src/model/plan.ts";
import { collect, each, graph, op, reduce, type Graph, type Ref } from "../../src/index.ts";
import { expectRefusal, named, plan, sketch, untyped } from "./support.ts";

const one = op("one", async (_i: { x: string; k?: number | undefined }) => ({ y: "y" }));
const gen = op("gen", async function* (_i: { x: string }) {
  yield { tok: "t" };
});
const inner = graph("inner", (input: Ref<{ x: string; k?: number }>) => {
  const g = gen({ x: input.x });
  return { tok: g.tok, last: one({ x: input.x, k: input.k }).y };
});

test("a graph call is flattened under its name, in the scope of its arguments", () => {
  const built = plan(
    graph("outer", (input: Ref<{ a: string; xs: string[] }>) => {
      const once = inner({ x: input.a }, { name: "once" });
      const per = inner({ x: each(input.xs), k: 2 }, { name: "per", parallel: 3 });
      return { a: once.tok, b: once.last, c: per.tok, d: per.last };
    }),
  );
  expect(built.subgraphs).toEqual([
    { name: "once", graph: "inner", scope: 0 },
    { name: "per", graph: "inner", scope: 2 },
  ]);
  expect(
    built.slots.filter(({ name }) => name !== "").map(({ name, scope }) => [name, built.scopes[scope]!.depth]),
  ).toEqual([
    ["input", 0],
    ["once/gen", 0],
    ["once/one", 0],
    ["per/gen", 1],
    ["per/one", 1],
  ]);
  expect(named(built, "once/one").inputs).toEqual({
    type: "object",
    keys: ["x", "k"],
    values: [
      { type: "source", source: { slot: 0, path: ["a"], strict: false } },
      { type: "constant", value: undefined },
    ],
  });
  expect([named(built, "per/gen").laneCapacity, named(built, "per/one").laneCapacity]).toEqual([3, 3]);
  expect(built.streams.map(({ segment }) => segment)).toEqual(["once/gen", "input.xs", "per/gen"]);
});

test("lane capacity: the op call's own, else the nearest graph call's that says so, else 1", () => {
  const leaf = graph("leaf", (input: Ref<{ x: string }>) => ({
    a: one({ x: input.x }, { name: "a" }).y,
    b: one({ x: input.x }, { name: "b" }).y,
  }));
  const own = op("own", async (_i: { x: string }) => ({ y: "y" }));
  const middle = graph("middle", (input: Ref<{ x: string; xs: string[] }>) => ({
    l: leaf({ x: input.x }).a,
    o: own({ x: each(input.xs) }, { parallel: 2 }).y,
  }));
  const built = plan(
    graph("outer", (input: Ref<{ xs: string[] }>) => {
      const x = each(input.xs);
      middle({ x, xs: input.xs }, { parallel: 5 });
      one({ x });
      return {};
    }),
  );
  expect(["middle/leaf/a", "middle/own", "one"].map((name) => named(built, name).laneCapacity)).toEqual([5, 2, 1]);
});

test("the whole input, nested records and spread results pass through", () => {
  const pass = graph("pass", (input: Ref<{ x: string; deep: { list: { v: string }[] } }>) => ({
    whole: one(input as unknown as Ref<{ x: string }>).y,
    first: one({ x: (input.deep.list as unknown as Record<number, { v: Ref<string> }>)[0]!.v }, { name: "first" }).y,
  }));
  const built = plan(
    graph("outer", (input: Ref<{ a: string; b: string }>) => ({
      ...pass({ x: input.a, deep: { list: [{ v: input.b }] } }),
      own: 1,
    })),
  );
  const outer = (path: string) => ({ type: "source", source: { slot: 0, path: [path], strict: false } });
  expect(named(built, "pass/one").inputs).toEqual({
    type: "object",
    keys: ["x", "deep"],
    values: [
      outer("a"),
      {
        type: "object",
        keys: ["list"],
        values: [{ type: "array", items: [{ type: "object", keys: ["v"], values: [outer("b")] }] }],
      },
    ],
  });
  expect(named(built, "pass/first").inputs).toEqual({ type: "object", keys: ["x"], values: [outer("b")] });
  expect(built.slots[built.output]!.inputs).toMatchObject({ keys: ["whole", "first", "own"] });
});

test("what a call per item returns lives per item, also a constant and an input that is passed on", () => {
  const pass = graph("pass", (input: Ref<{ x: string; fixed: string }>) => ({
    fixed: input.fixed,
    one: 1,
    x: input.x,
  }));
  const built = plan(
    graph("outer", (input: Ref<{ xs: string[]; f: string }>) => {
      const p = pass({ x: each(input.xs), fixed: input.f });
      return { fixed: collect(p.fixed), one: collect(p.one), x: collect(p.x) };
    }),
  );
  expect(sketch(built).slice(3)).toEqual([
    "3 record @1 <- 0",
    "4 record @1",
    "5 collect @0 <- *3",
    "6 collect @0 <- *4",
    "7 collect @0 <- *2",
    "8 record @0 <- 5 6 7",
  ]);
  expect(built.scopes[1]!.ready).toEqual([2]);
});

test("a graph that returns a graph's result returns a record, of which a stream is a list", () => {
  const wrap = graph("wrap", (input: Ref<{ xs: string[] }>) => inner({ x: each(input.xs) }));
  const same = graph("same", (input: Ref<{ x: string }>) => inner({ x: input.x }));
  const built = plan(wrap);
  expect(built.slots[built.output]!.inputs).toMatchObject({ type: "object", keys: ["tok", "last"] });
  expect(plan(same).slots[plan(same).output]!.inputs).toMatchObject({ type: "object", keys: ["tok", "last"] });
  const value = graph("value", (input: Ref<{ x: string }>) => ({ y: one({ x: input.x }).y }));
  const list = plan(graph("list", (input: Ref<{ xs: string[] }>) => value({ x: each(input.xs) })));
  // Ref<{ y }, Item> is one stream of records, not a record of streams.
  expect(sketch(list).slice(4)).toEqual(["4 record @1 <- 3", "5 collect @0 <- *4", "6 record @0 <- 5"]);
});

test("constants that a caller passes arrive as themselves, whole or in parts", () => {
  const take = op("take", async (_i: { a: unknown; deep: unknown; list: unknown }) => ({}));
  const pass = graph("pass", (input: Ref<{ a: string; rec: { b: number } }>) =>
    take({ a: input.a, deep: { b: input.rec.b }, list: [input.rec, { whole: input.rec }] }),
  );
  const rec = { b: 2 };
  const built = plan(graph("outer", () => pass({ a: "x", rec })));
  const valueOf = (template: Template): unknown => {
    if (template.type === "object")
      return Object.fromEntries(template.keys.map((key, i) => [key, valueOf(template.values[i]!)]));
    if (template.type === "array") return template.items.map(valueOf);
    return template.type === "constant" ? template.value : "not a constant";
  };
  const constant = { a: "x", deep: { b: 2 }, list: [rec, { whole: rec }] };
  expect(valueOf(named(built, "pass/take").inputs!)).toEqual(constant);
});

test("boundaries name the calls that return a slot, innermost first", () => {
  const outer = graph("outer", (input: Ref<{ x: string }>) => ({ v: inner({ x: input.x }).last, passed: input.x }));
  const built = plan(graph("top", (input: Ref<{ x: string }>) => outer({ x: input.x }).v));
  expect(named(built, "outer/inner/one").boundaries.map((index) => built.subgraphs[index]!.name)).toEqual([
    "outer/inner",
    "outer",
  ]);
  expect(built.slots[0]!.boundaries).toEqual([]);
});

test("after of a graph call holds back every op of it", () => {
  const built = plan(
    graph("g", (input: Ref<{ x: string }>) => {
      const first = one({ x: input.x });
      return inner({ x: "a" }, { after: [first] }).last;
    }),
  );
  expect(named(built, "inner/gen").dependencies).toEqual([{ slot: 1, after: true }]);
  expect(named(built, "inner/one").dependencies).toEqual([{ slot: 1, after: true }]);
});

test("a graph with an input schema validates in a pure node of its own", () => {
  const schema = z.object({ n: z.coerce.number<string>(), k: z.number().default(3) });
  const sch = graph("sch", { input: schema }, (input) => ({ n: input.n, k: input.k }));
  expect(plan(sch).input).toBe(schema);
  const built = plan(
    graph("g", (input: Ref<{ s: string; xs: string[] }>) => ({
      a: sch({ n: input.s }).n,
      b: sch({ n: each(input.xs) }, { name: "per", parallel: 4 }).k,
    })),
  );
  expect(built.input).toBe(null);
  const slot = named(built, "sch/input");
  expect([slot.op!.kind, slot.op!.effect, slot.op!.input === schema, slot.op!.output]).toEqual([
    "inline",
    "pure",
    true,
    null,
  ]);
  expect((slot.op!.run as (v: unknown) => unknown)(7)).toBe(7);
  expect(built.slots[built.output]!.inputs).toMatchObject({
    values: [{ source: { slot: slot.id, path: ["n"], strict: false } }, {}],
  });
  expect(named(built, "per/input").laneCapacity).toBe(4);
});

test("a graph that calls itself is refused with the chain", () => {
  let late: Graph<{ x: string }, unknown> | undefined;
  const a = graph("a", (input: Ref<{ x: string }>) => (late === undefined ? {} : untyped(late)({ x: input.x })));
  late = graph("b", (input: Ref<{ x: string }>) => a({ x: input.x }));
  expectRefusal(
    () => graph("c", () => untyped(late)({ x: "1" })),
    "graph b calls itself: b > a > b",
    "graphs are flattened when they are built, so they cannot recurse; loop inside an op",
  );
});

test("a graph that names itself in its body, or what is made further down, is told that its body runs at once", () => {
  const hint =
    "a body runs where graph() is called: make what it uses above. A graph cannot call itself; loop with loop(), or inside an op";
  expectRefusal(
    () => {
      const self: unknown = graph("self", (input: Ref<{ n: number }>) => ({ all: untyped(self)({ n: input.n }) }));
    },
    "the body of graph self uses something before it is made: Cannot access 'self' before initialization",
    hint,
  );
  expect(() => graph("typo", () => untyped((globalThis as { nothing?: unknown }).nothing)({}))).toThrow(TypeError);
});

test("a graph's fn says how to run it", () => {
  expectRefusal(
    () => inner.fn({ x: "a" }),
    "graph inner has no body that runs by itself",
    "run it with engine.run(graph, input); fn is for ops",
  );
});

test("a reduce in a called graph keeps its scoped name", () => {
  const sum = graph("sum", (input: Ref<{ ns: number[] }>) => reduce("total", each(input.ns), 0, (a, b) => a + b));
  const built = plan(graph("g", (input: Ref<{ ns: number[] }>) => sum({ ns: input.ns })));
  expect(named(built, "sum/total").collect!.initial).toBe(0);
});
