import { expect, test } from "vitest";
import { z } from "zod";
import { callerContext, collect, each, graph, memory, op, type Ref } from "../../src/index.ts";
import { crashEverywhere, open, resumedOn } from "./support/engines.ts";
import { crashedBehind, recordingOf } from "./support/journal.ts";

const Caller = callerContext("caller", z.object({ user: z.string(), since: z.iso.datetime().optional() }));
const Tenant = callerContext("tenant", z.object({ tenant: z.string().default("none") }));

const greet = op("greet", { context: Caller }, async ({ x }: { x: string }, ctx) => ({
  text: `${x} ${ctx.context.user}`,
}));
const bill = op("bill", { context: Tenant }, ({ text }: { text: string }, ctx) => ({
  text: `${text} for ${ctx.context.tenant}`,
  keys: Object.keys(ctx.context),
}));
const plain = op("plain", (_input: { text: string }, ctx) => ({ context: String(ctx.context) }));
const flow = graph("flow", (input: Ref<{ xs: string[] }>) => {
  const billed = bill({ text: greet({ x: each(input.xs) }).text });
  return { text: collect(billed.text), keys: collect(billed.keys), plain: plain({ text: "" }).context };
});
const ada = { user: "ada", tenant: "acme", secret: "s" };

test("R22 each op gets what the caller told the run through the schema it asks by, and an op that asks for nothing gets none", async () => {
  const engine = await open();
  expect(await engine.run(flow, { xs: ["a", "b"] }, { context: ada })).toEqual({
    text: ["a ada for acme", "b ada for acme"],
    keys: [["tenant"], ["tenant"]],
    plain: "undefined",
  });
  expect(await engine.run(greet, { x: "hi" }, { context: { user: "bob" } })).toEqual({ text: "hi bob" });
});

test.each([
  [undefined, /^the caller's context "caller" of graph "flow" \(the run was started without one: pass \{ context \}\)/],
  [{ user: 1 }, /^the caller's context "caller" of graph "flow" does not match its schema: user: /],
  [{ user: "a", tenant: 1 }, /^the caller's context "tenant" of graph "flow" does not match/],
])("a context that breaks a schema is refused before there is a run: %j", async (context, message) => {
  const backend = memory();
  const engine = await open({ backend });
  const refused = await engine.start(flow, { xs: [] }, { context }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "InvalidValue", message: expect.stringMatching(message) as string });
  expect(await engine.list()).toEqual([]);
});

test("a context that cannot be journaled is refused, with a backend and without one", async () => {
  const Loose = callerContext("loose", z.object({ done: z.any() }));
  const use = op("use", { context: Loose }, (_input: object) => ({}));
  for (const options of [{}, { backend: memory() }]) {
    const engine = await open(options);
    await expect(engine.run(use, {}, { context: { done: () => undefined } })).rejects.toMatchObject({
      code: "Unencodable",
      message: expect.stringContaining("context.loose.done") as string,
    });
  }
});

test("R22 what an op is told is the run's own frozen copy", async () => {
  const Any = callerContext("any", z.custom<{ tags: string[] }>());
  const given = { tags: ["a"] };
  const look = op("look", { context: Any }, async (_input: object, ctx) => {
    given.tags.push("later");
    expect(() => ctx.context.tags.push("mine")).toThrow(TypeError);
    return { tags: ctx.context.tags };
  });
  for (const options of [{}, { backend: memory() }]) {
    given.tags = ["a"];
    const engine = await open(options);
    expect(await engine.run(look, {}, { context: given })).toEqual({ tags: ["a"] });
  }
});

test("R22 R11 it is journaled with the start: after a crash behind any record ops are told the same, whatever schema and clock say by then", async () => {
  let calls = 0;
  const Stamp = callerContext(
    "stamp",
    z.object({ user: z.string() }).transform(({ user }) => ({ user, n: ++calls })),
  );
  const first = op("first", { context: Stamp }, async (_input: { x: number }, ctx) => ({ told: ctx.context }));
  const second = op("second", { context: Stamp }, async (_input: { n: number }, ctx) => ({ told: ctx.context }));
  const stamped = graph("stamped", (input: Ref<{ x: number }>) => {
    const { told } = first({ x: input.x });
    return { one: told, two: second({ n: told.n }).told };
  });
  const backend = memory();
  const engine = await open({ backend });
  const handle = await engine.start(stamped, { x: 1 }, { id: "run", context: { user: "ada" } });
  const whole = await handle.result();
  const recording = await recordingOf(backend, "run");
  expect(recording.records[0]?.[1]).toMatchObject({ context: { stamp: { user: "ada", n: 1 } } });
  for (let cut = 1; cut < recording.records.length; cut++)
    expect(await resumedOn(await crashedBehind(recording, cut), stamped)).toEqual(whole);
  expect(calls).toBe(1);
});

test("a run that was started before its graph asked for a context is refused by name when it is resumed", async () => {
  const before = op("step", async (_input: { x: number }) => ({ y: 1 }));
  const after = op("step", { context: Caller }, async (_input: { x: number }) => ({ y: 1 }));
  const graphOf = (step: typeof before) => graph("g", (input: Ref<{ x: number }>) => ({ y: step({ x: input.x }).y }));
  const { recording } = await crashEverywhere(graphOf(before), { x: 1 }, () => undefined);
  const engine = await open({ backend: await crashedBehind(recording, 1), graphs: [graphOf(after)], recover: false });
  await expect(engine.resume("run")).rejects.toMatchObject({
    code: "ContextMissing",
    message: expect.stringContaining('"g" needs the caller\'s context "caller"') as string,
  });
});

test("two caller contexts of one name are refused when the graph is built", () => {
  const Other = callerContext("caller", z.object({}));
  const other = op("other", { context: Other }, () => ({}));
  expect(() => graph("g", () => [greet({ x: "a" }), other({})])).toThrow('two caller contexts named "caller"');
  expect(() => callerContext("x", {} as never)).toThrow("caller context x has no schema");
  expect(() => op("o", { context: {} as never }, () => ({}))).toThrow("context of op o is not a caller context");
});
