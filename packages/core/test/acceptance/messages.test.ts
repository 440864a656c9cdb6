/** What errors say: each names the thing as its author wrote it. */
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import {
  cell,
  collect,
  each,
  graph,
  last,
  memory,
  MillraceError,
  op,
  push,
  read,
  when,
  type ErrorEntry,
  type Item,
  type Ref,
  type Runnable,
} from "../../src/index.ts";
import { refusal, untyped } from "../build/support.ts";
import { open } from "./support/engines.ts";

async function errorsOf<I>(g: Runnable<I, unknown>, input: NoInfer<I>): Promise<readonly ErrorEntry[]> {
  const engine = await open({ backend: memory() });
  return (await (await engine.start(g, input)).result()).errors;
}

test.each([
  [null, "null"],
  ["text", "string"],
])("each() of what is no list names the ref: %s", async (xs, is) => {
  const echo = op("echo", async ({ x }: { x: number }) => ({ x }));
  const g = graph("g", (input: Ref<{ deep: { xs: number[] } }>) => ({
    all: collect(echo({ x: each(input.deep.xs) }).x),
  }));
  const [error] = await errorsOf(g, { deep: { xs: xs as never } });
  expect(error).toMatchObject({
    code: "EdgeFailed",
    message: expect.stringMatching(new RegExp(`^each\\(input\\.deep\\.xs\\) needs a list, and it is ${is}\n`)),
  });
});

test("pushes that nothing orders are named by the refs that they push", () => {
  const build = (second: "a" | "b") => () =>
    graph("g", (input: Ref<{ a: string; b: string }>) => {
      const into = cell("into", last("new"));
      const pushed = [push(into, input.a), push(into, input[second])];
      return read(into, { after: pushed });
    });
  expect(refusal(build("b")).message).toContain("nothing orders the pushes of input.a and input.b");
  expect(refusal(build("a")).message).toContain("nothing orders two pushes of input.a");
});

test("a part of a cached op's input that cannot be encoded is named by its own path", async () => {
  class Client {
    readonly id = 1;
  }
  const look = op("look", { cache: { ttl: "1h" } }, async ({ x }: { x: unknown }) => ({ x: String(x) }));
  const keyed = op("keyed", { cache: { ttl: "1h", key: () => ({ of: new Client() }) } }, async () => ({ x: 1 }));
  const make = op("make", () => ({ list: [1, new Client()] }));
  const g = graph("g", (_input: Ref<object>) => ({ a: look({ x: make({}).list }).x, b: keyed({}).x }));
  const engine = await open();
  const { errors } = await (await engine.start(g, {})).result();
  const messages = Object.fromEntries(errors.map(({ node, message }) => [node, message]));
  expect(messages["look"]).toMatch(/^input\.x\[1\]: /);
  expect(messages["keyed"]).toMatch(/^cache key\.of: /);
});

test("collecting the item that a closure runs for says so, and not to make a stream of it", () => {
  const g = (): unknown =>
    graph("g", (input: Ref<{ xs: { on: boolean; name: string }[] }>) => {
      const x = each(input.xs);
      return collect(when("if", x.on, () => ({ names: untyped(collect)(x.name) as Ref<string[], Item> })).names);
    });
  expect(refusal(g).message).toBe(
    [
      "collect() was given input.xs.name, which is one value, not a stream",
      "  hint: here it is one item of input.xs: the closure runs once per item, so collect outside of it",
    ].join("\n"),
  );
});

describe("what is thrown and no error gives an entry that can be read", () => {
  test.each([
    [Symbol("oops"), "symbol", "Symbol(oops)"],
    [10n, "bigint", "10n"],
    [Number.NaN, "number", "NaN"],
    [-Infinity, "number", "-Infinity"],
    [undefined, "undefined", "undefined"],
    [null, "object", "null"],
    ["text", "string", "text"],
    [function oops() {}, "function", "function oops"],
  ])("%s", async (thrown, type, message) => {
    const bad = op("bad", async (): Promise<{ x: number }> => {
      throw thrown;
    });
    const [error] = await errorsOf(bad, {});
    expect(error).toMatchObject({ node: "bad", code: "Thrown", type, message });
  });
});

test("a console shows of an error what there is, and nothing that is not set", () => {
  const shown = (error: unknown): string => inspect(error).replaceAll(/^ +at .*$/gm, "");
  const plain = shown(new MillraceError("EngineClosed", "the engine is closed"));
  expect(plain).not.toMatch(/undefined|reason|hint/);
  expect(plain).toContain("code: 'EngineClosed'");
  const whole = new MillraceError("BuildError", "it is odd", { hint: "mend it", reason: "DuplicateName" });
  expect(shown(whole)).toMatch(/reason: 'DuplicateName',\n +hint: 'mend it'/);
  const { reason, hint } = new MillraceError("EngineClosed", "the engine is closed");
  expect([reason, hint]).toEqual([undefined, undefined]);
});
