// oxlint-disable vitest/expect-expect -- expectRefusal asserts
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { derive, each, graph, op, type Ref } from "../../src/index.ts";
import { expectRefusal, named, plan, refusal, untyped } from "./support.ts";

const one = op("one", async (_i: { x: string; n?: number }) => ({ y: 1, t: "t", xs: ["a"] }));
type Input = Ref<{ a: string; n: number; xs: string[] }>;

function inBody(use: (input: Input, o: Ref<{ y: number; t: string; xs: string[] }>) => unknown): () => unknown {
  return () =>
    graph("g", (input: Input) => {
      use(input, one({ x: input.a }));
      return {};
    });
}

const cases: readonly [string, (input: never, o: never) => unknown, string, string][] = [
  [
    "a template string",
    (_, o) => `text: ${(o as { t: string }).t}`,
    "one.t in graph g is a ref, not its value, and was put into a string",
    "write text`…${one.t}…` with the text tag, or use derive",
  ],
  [
    "addition",
    (_, o) => (o as { y: number }).y + 1,
    "one.y in graph g is a ref, not its value, and was used with an operator",
    "compute it from the value: derive(one.y, value => …)",
  ],
  [
    "multiplication",
    (_, o) => (o as { y: number }).y * 2,
    "one.y in graph g is a ref, not its value, and was used in arithmetic or a comparison",
    "compute it from the value: derive(one.y, value => …)",
  ],
  [
    "comparison",
    (i) => (i as { n: number }).n > 1,
    "input.n in graph g is a ref, not its value, and was used in arithmetic or a comparison",
    "compute it from the value: derive(input.n, value => …)",
  ],
  [
    "spreading a record",
    (_, o) => ({ ...(o as object) }),
    "one in graph g is a ref, not its value, and was spread or listed by its keys",
    "its keys are not known yet; name the fields, or use derive(one, value => ({ ...value }))",
  ],
  [
    "Object.keys",
    (i) => Object.keys(i),
    "input in graph g is a ref, not its value, and was spread or listed by its keys",
    "its keys are not known yet; name the fields, or use derive(input, value => ({ ...value }))",
  ],
  [
    "spreading a list",
    (i) => [...(i as { xs: string[] }).xs],
    "input.xs in graph g is a ref, not its value, and was iterated",
    "make a stream of its items with each(input.xs), or compute from the whole list with derive(input.xs, list => …)",
  ],
  [
    "in",
    (i) => "a" in (i as object),
    'input in graph g is a ref, not its value, and was "a" in …',
    'compute it from the value: derive(input, value => "a" in value)',
  ],
  [
    "assignment",
    (i) => ((i as { a: string }).a = "x"),
    "input in graph g is a ref, not its value, and was assigned to (.a = …)",
    "values are made by ops and derive, never by assignment",
  ],
  [
    "delete",
    (i) => delete (i as { a?: string }).a,
    "input in graph g is a ref, not its value, and was assigned to (.a = …)",
    "values are made by ops and derive, never by assignment",
  ],
  [
    "a method",
    (i) => (i as { a: string }).a.toUpperCase(),
    "input.a.toUpperCase in graph g is a ref, not its value, and was called",
    "call it on the value: derive(input.a, value => value.toUpperCase(…))",
  ],
  [
    "toString",
    (_, o) => (o as { y: number }).y.toString(),
    "one.y.toString in graph g is a ref, not its value, and was called",
    "call it on the value: derive(one.y, value => value.toString(…))",
  ],
  [
    "a call",
    (_, o) => (o as () => unknown)(),
    "one in graph g is a ref, not its value, and was called",
    "a ref is not a function",
  ],
  [
    "JSON.stringify",
    (i) => JSON.stringify(i),
    "input in graph g is a ref, not its value, and was turned into JSON",
    "do it on the value: derive(input, value => JSON.stringify(value))",
  ],
  [
    "then",
    (_, o) => (o as { then(done: unknown): unknown }).then(() => undefined),
    "one in graph g is a ref, not its value, and was awaited",
    "pass it on instead; a node runs when its inputs have values",
  ],
];
test.each(cases)("%s on a ref throws the fix", (_name, use, message, hint) => {
  expectRefusal(inBody(use as never), message, hint);
});

test("a JSON.stringify of a structure with a ref throws too", () => {
  expect(refusal(inBody((input) => JSON.stringify({ deep: [input.a] }))).message).toContain("was turned into JSON");
});

test("awaiting a ref rejects with the fix", async () => {
  let leaked: unknown;
  graph("g", (input: Input) => {
    leaked = input.a;
    return {};
  });
  await expect((async () => await (leaked as Promise<unknown>))()).rejects.toThrow(
    "input.a in graph g is a ref, not its value, and was awaited",
  );
});

test("refs can be printed, inside a body by inspect and outside by anything", () => {
  let leaked: { a: unknown } | undefined;
  graph("g", (input: Input) => {
    expect(inspect(input.a)).toBe("[ref input.a of g]");
    expect(inspect({ input })).toBe("{ input: [ref input of g] }");
    leaked = input;
    return {};
  });
  expect(inspect(leaked, { showHidden: true, depth: 5 })).toContain("[ref input of g]");
  expect(String(leaked!.a)).toBe("[ref input.a of g]");
  expect(JSON.stringify({ leaked })).toBe('{"leaked":"[ref input of g]"}');
  expect(Object.keys(leaked!)).toEqual([]);
  expect("a" in leaked!).toBe(false);
  expect(() => expect(leaked).toEqual({ a: 1 })).toThrow(/expected .*ref.* to deeply equal/);
  expect(() => expect({ deep: leaked }).toEqual({ deep: 1 })).toThrow("to deeply equal");
  expect(() => expect(leaked!.a).toBeUndefined()).toThrow("undefined");
});

test("field names that JavaScript uses itself are ordinary fields", () => {
  const names = [
    "then",
    "id",
    "name",
    "start",
    "stream",
    "inputs",
    "length",
    "toString",
    "constructor",
    "__proto__",
    "toJSON",
    "hasOwnProperty",
  ];
  const take = op("take", async (_i: unknown) => ({}));
  const built = plan(
    graph("g", (input: Ref<Record<string, unknown>>) => {
      const fields = input as unknown as Record<string, unknown>;
      return untyped(take)({ all: names.map((name) => fields[name]) });
    }),
  );
  const inputs = named(built, "take").inputs as unknown as { values: { items: { source: { path: string[] } }[] }[] };
  expect(inputs.values[0]!.items.map(({ source }) => source.path)).toEqual(names.map((name) => [name]));
});

test("F24 parameters named id, name, start, stream, inputs bind as inputs, of ops and of graphs, without warning", () => {
  type Odd = { id: string; name: string; start: number; stream: string[]; inputs: { length: number } };
  const odd = op("odd", async (i: Odd) => i);
  const inner = graph("inner", (input: Ref<Odd>) =>
    odd({ id: input.id, name: input.name, start: input.start, stream: input.stream, inputs: input.inputs }),
  );
  const outer = graph("outer", (input: Ref<{ id: string }>) => {
    const o = inner({ id: input.id, name: "n", start: 1, stream: ["s"], inputs: { length: 2 } });
    return { id: o.id, name: o.name, start: o.start, stream: collectAll(o.stream), length: o.inputs.length };
  });
  const built = plan(outer);
  expect(named(built, "inner/odd").inputs).toEqual({
    type: "object",
    keys: ["id", "name", "start", "stream", "inputs"],
    values: [
      { type: "source", source: { slot: 0, path: ["id"], strict: false } },
      { type: "constant", value: "n" },
      { type: "constant", value: 1 },
      { type: "constant", value: ["s"] },
      { type: "constant", value: { length: 2 } },
    ],
  });
  expect(outer.plan.findings).toEqual([]);
  expect(inner.name).toBe("inner");
  expect(odd.name).toBe("odd");
});
function collectAll<T>(ref: Ref<T>): Ref<T> {
  return ref;
}

test("a ref that leaks into another graph is refused, naming both", () => {
  let leaked: Ref<string> | undefined;
  graph("a", (input: Input) => {
    leaked = input.a;
    return {};
  });
  expectRefusal(
    () => graph("b", () => one({ x: leaked! })),
    "input.a belongs to graph a but is used by one in graph b",
    "pass it in as an input, or return it from the graph that made it",
  );
});

test("a ref of a body that leaks into its caller is refused, and so is one the other way round", () => {
  let leaked: Ref<number> | undefined;
  const inner = graph("inner", (input: Ref<{ x: string }>) => {
    const o = one({ x: input.x });
    leaked = o.y;
    return { t: o.t };
  });
  expectRefusal(
    () =>
      graph("outer", () => {
        inner({ x: "a" }, { name: "call" });
        return { y: leaked };
      }),
    "call/one.y belongs to graph inner (called as call) but is used by the result of graph outer in graph outer",
    "pass it in as an input, or return it from the graph that made it",
  );
  expectRefusal(
    () => graph("outer", (input: Input) => graph("inner", () => derive(input.a, (a) => a))({})),
    "input.a belongs to graph outer but is used by derive() in graph inner",
    "pass it in as an input, or return it from the graph that made it",
  );
});

test("calls outside of a graph say where they belong", () => {
  expectRefusal(
    () => one({ x: "a" }),
    "op one was called outside of a graph",
    "call it in the body given to graph(name, body), run it with engine.run(one, input), or test its body with one.fn(input)",
  );
  expectRefusal(
    () => untyped(each)([1]),
    "each() was called outside of a graph",
    "call it in the body given to graph(name, body)",
  );
});

test("promises, cycles and non-records are refused as inputs", () => {
  const call = untyped(one);
  expectRefusal(
    () => graph("g", () => call({ x: Promise.resolve("a") })),
    "one was given a promise",
    "an op makes values that take time; pass the ref that calling it returns",
  );
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  expectRefusal(
    () => graph("g", () => call({ x: cycle })),
    "one was given a structure that contains itself",
    "pass data without cycles",
  );
  expectRefusal(
    () => graph("g", () => call("a")),
    "one was given a string as its input",
    "calls take one record: one({ key: value })",
  );
  expectRefusal(
    () => graph("g", () => call(["a"])),
    "one was given a list as its input",
    "calls take one record: one({ key: value })",
  );
});

test("a body must not be async or a generator", () => {
  const fix = "a body wires nodes and never waits; do the waiting in ops";
  expectRefusal(() => graph("g", async () => ({})), "the body of graph g is async", fix);
  expectRefusal(() => graph("g", () => Promise.reject(new Error("never seen"))), "the body of graph g is async", fix);
  expectRefusal(
    () =>
      graph("g", function* () {
        yield 1;
      }),
    "the body of graph g is a generator",
    "return the refs; those per item are streams by themselves",
  );
});

test("constants stay the author's own objects, class instances included", () => {
  class Foo {
    a = 1;
  }
  const foo = new Foo();
  const when = new Date(0);
  const built = plan(graph("g", () => untyped(one)({ foo, when, list: [foo, 1], hole: [1, , 2] }))); // oxlint-disable-line no-sparse-arrays
  const values = (named(built, "one").inputs as unknown as { values: { value: unknown }[] }).values.map(
    ({ value }) => value,
  );
  expect(values[0]).toBe(foo);
  expect(values[1]).toBe(when);
  expect((values[2] as unknown[])[0]).toBe(foo);
  expect(1 in (values[3] as unknown[])).toBe(false);
});

test("an error in a body leaves no graph behind that later calls would land in", () => {
  expect(() =>
    graph("g", () => {
      throw new Error("mine");
    }),
  ).toThrow("mine");
  expect(refusal(() => one({ x: "a" })).message).toContain("outside of a graph");
});
