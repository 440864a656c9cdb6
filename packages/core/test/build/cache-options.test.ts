// oxlint-disable vitest/expect-expect -- expectRefusal asserts
import { expect, test } from "vitest";
import { graph, op, type Ref } from "../../src/index.ts";
import { expectRefusal, named, plan, untyped } from "./support.ts";

const make = untyped(op);
const body = async () => ({});

test("a call's cache is merged over the op's field by field, and false turns it off", () => {
  const key = (i: { x: string }): string => i.x;
  const look = op("look", { cache: { ttl: "1h", key } }, async (i: { x: string }) => ({ y: i.x }));
  const bare = op("bare", async (i: { x: string }) => ({ y: i.x }));
  const g = graph("g", (input: Ref<{ x: string }>) => ({
    a: look({ x: input.x }).y,
    b: look({ x: input.x }, { name: "few", cache: { max: 3 } }).y,
    c: look({ x: input.x }, { name: "off", cache: false }).y,
    d: bare({ x: input.x }).y,
    e: bare({ x: input.x }, { name: "on", cache: { ttl: 5 } }).y,
  }));
  const caches = ["look", "few", "off", "bare", "on"].map((name) => named(plan(g), name).policies!.cache);
  const whole = { ttl: 3_600_000, max: 1_000, key };
  expect(caches).toEqual([whole, { ...whole, max: 3 }, null, null, { ttl: 5, max: 1_000, key: null }]);
});

test("a cache is not part of the fingerprint", () => {
  const once = (cache: false | { ttl: number }): string =>
    graph("g", (input: Ref<{ x: string }>) =>
      op("a", async (i: { x: string }) => ({ y: i.x }))({ x: input.x }, { cache }),
    ).plan.fingerprint;
  expect(once({ ttl: 5 })).toBe(once(false));
});

test.each([
  [{}, "cache of op a has no ttl", 'say how long an output stays good: cache: { ttl: "1h" }'],
  [{ ttl: 1, max: 0 }, "cache.max of op a is 0", "it is a whole number, 1 or more"],
  [{ ttl: 1, key: "x" }, "cache.key of op a is not a function", "write key: (input) => what the output depends on"],
  [{ ttl: 1, size: 3 }, 'cache of op a has no option "size"', "it takes ttl, max, key"],
])("cache %j is refused", (cache, problem, fix) => {
  expectRefusal(() => make("a", { cache }, body), problem, fix);
});

test("streams and unsafe ops have no cache, neither on the op nor on a call", () => {
  const cache = { ttl: 1 };
  const stream = "op a has a cache, but its output is a stream";
  const instead = "leave it out, or cache the ops that work on its items";
  expectRefusal(() => make("a", { cache }, function* () {}), stream, instead);
  expectRefusal(() => make("a", { cache, stream: true }, () => []), stream, instead);
  const unsafe = "op a has a cache, but its effect is unsafe";
  const or = "a cached output would stand for an effect that never happened; leave cache or effect out";
  expectRefusal(() => make("a", { cache, effect: "unsafe" }, body), unsafe, or);
  const pay = op("a", { effect: "unsafe" }, async () => ({}));
  expectRefusal(() => graph("g", () => pay({}, { cache })), unsafe, or);
});
