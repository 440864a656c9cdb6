// oxlint-disable vitest/expect-expect -- expectRefusal asserts
import { expect, test } from "vitest";
import { z } from "zod";
import { each, filter, graph, op, present, type Ref, type StandardSchemaV1 } from "../../src/index.ts";
import { expectRefusal, named, plan, refusal, untyped } from "./support.ts";

const output = z.object({ text: z.string(), lang: z.string().optional(), meta: z.object({ pages: z.number() }) });
const parse = op(
  "parse",
  { input: z.object({ path: z.string(), size: z.number().optional(), mode: z.string().default("all") }), output },
  async () => ({ text: "t", meta: { pages: 1 } }),
);
const loose = op("loose", async (_i: { path: string }) => ({ text: "t" }));
const g = (body: (input: Ref<{ a: string; xs: string[] }>) => unknown) => () => graph("g", body);
type Any = Record<string, Record<string, unknown>>;

test("F06 reading a key that a declared output does not have names op, key and nearest", () => {
  expectRefusal(
    g((input) => untyped(parse)({ path: input.a })["txt" as never]),
    'the output of op parse has no key "txt"',
    'did you mean "text"? it has text, lang, meta',
  );
  expectRefusal(
    g((input) => (parse({ path: input.a }) as unknown as Any)["meta"]!["page"]),
    'meta in the output of op parse has no key "page"',
    'did you mean "pages"? it has pages',
  );
  expectRefusal(
    g((input) => (parse({ path: input.a }) as unknown as Any)["zzzzzz"]),
    'the output of op parse has no key "zzzzzz"',
    "it has text, lang, meta",
  );
});

test("F06 the same for items of a generator, through filter and present, and under a call's name", () => {
  const items = op("items", { output: z.object({ n: z.number(), ok: z.boolean() }) }, async function* () {
    yield { n: 1, ok: true };
  });
  expect(refusal(g(() => (items() as unknown as Any)["m"])).message).toContain(
    'the output of op items has no key "m"\n  hint: did you mean "n"?',
  );
  expect(
    refusal(
      g(() => {
        const i = items();
        return (filter(i, i.ok) as unknown as Any)["m"];
      }),
    ).message,
  ).toContain('the output of op items has no key "m"');
  expect(refusal(g(() => (present(items()) as unknown as Any)["m"])).message).toContain(
    'the output of op items has no key "m"',
  );
  const inner = graph(
    "inner",
    (input: Ref<{ a: string; bad?: boolean }>) => (parse({ path: input.a }) as unknown as Any)["text"],
  );
  expect(inner.name).toBe("inner");
  expect(
    refusal(g((input) => (parse({ path: input.a }, { name: "again" }) as unknown as Any)["txt"])).message,
  ).toContain("the output of op again has no key");
});

test("F06 without a schema the field is read strictly at run time; optional keys of a schema are not", () => {
  const built = plan(
    graph("g", (input: Ref<{ a: string }>) => {
      const l = loose({ path: input.a }) as unknown as Any;
      const p = parse({ path: input.a });
      const take = untyped(op("take", (_i: object) => ({})));
      return take({ absent: l["absent"], deep: l["a"]!["b"], lang: p.lang, whole: l });
    }),
  );
  const { values } = named(built, "take").inputs as unknown as {
    values: { source: { path: string[]; strict: boolean } }[];
  };
  expect(values.map(({ source }) => [source.path.join("."), source.strict])).toEqual([
    ["absent", true],
    ["a.b", true],
    ["lang", false],
    ["", false],
  ]);
});

test("F06 keys of a graph input with a schema, and of a graph's result, are checked too", () => {
  expectRefusal(
    () => graph("s", { input: z.object({ topic: z.string() }) }, (input) => (input as unknown as Any)["topik"]),
    'the input of graph s has no key "topik"',
    'did you mean "topic"? it has topic',
  );
  const inner = graph("inner", (input: Ref<{ a: string }>) => ({ answer: loose({ path: input.a }).text }));
  expectRefusal(
    g((input) => (inner({ a: input.a }) as unknown as Any)["anser"]),
    'the result of inner has no key "anser"',
    'did you mean "answer"? it has answer',
  );
});

test("inputs of an op with a schema: unknown and missing keys", () => {
  const call = untyped(parse);
  expectRefusal(
    g(() => call({ path: "a", siz: 1 })),
    'op parse has no input "siz"',
    'did you mean "size"? it takes path, size, mode',
  );
  expectRefusal(
    g(() => call({ size: 1 })),
    'op parse needs an input "path"',
    "it takes path, size, mode",
  );
  expectRefusal(
    g(() => call({ path: undefined })),
    'op parse needs an input "path"',
    "it takes path, size, mode",
  );
  expectRefusal(
    g(() => call()),
    'op parse needs an input "path"',
    "it takes path, size, mode",
  );
  expect(
    plan(
      graph("g", (input: Ref<{ a: string; whole: { path: string } }>) => ({
        a: parse({ path: input.a }).text,
        b: parse(input.whole, { name: "whole" }).text,
      })),
    ).slots.length,
  ).toBe(4);
  const sch = graph("sch", { input: z.object({ n: z.number() }) }, (input) => input.n);
  expectRefusal(
    g(() => untyped(sch)({ n: 1, m: 2 })),
    'graph sch has no input "m"',
    'did you mean "n"? it takes n',
  );
});

test("other libraries' schemas tell their keys by JSON Schema, or not at all", () => {
  const schema = (jsonSchema?: unknown): StandardSchemaV1<unknown, { a: string }> => ({
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value: unknown) => ({ value: value as { a: string } }),
      ...(jsonSchema === undefined ? {} : { jsonSchema }),
    },
  });
  const told = (json: unknown) => ({ input: () => json, output: () => json });
  const read = (of: StandardSchemaV1<unknown, { a: string }>) =>
    g(() => (op("o", { output: of }, () => ({ a: "x" }))() as unknown as Any)["b"]);
  const object = { type: "object", properties: { a: { type: "string" } } };
  expect(refusal(read(schema(told(object)))).message).toContain('the output of op o has no key "b"');
  for (const open of [
    { ...object, additionalProperties: true },
    { ...object, allOf: [] },
    { type: "string" },
    undefined,
  ])
    expect(read(schema(told(open)))).not.toThrow();
  expect(
    read(
      schema({
        output: () => {
          throw new Error("unsupported");
        },
      }),
    ),
  ).not.toThrow();
  expect(read(schema())).not.toThrow();
  for (const zod of [z.looseObject({ a: z.string() }), z.object({ a: z.string() }).catchall(z.number())])
    expect(read(zod as never)).not.toThrow();
  for (const zod of [z.strictObject({ a: z.string() }), z.object({ a: z.string() }).refine(() => true)])
    expect(read(zod as never)).toThrow('has no key "b"');
});

test("a stream item from a list has no strict fields", () => {
  const built = plan(graph("g", (input: Ref<{ rows: { a: string }[] }>) => loose({ path: each(input.rows).a })));
  expect(named(built, "loose").inputs).toMatchObject({ values: [{ source: { path: ["a"], strict: false } }] });
});
