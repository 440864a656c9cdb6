import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  callerContext,
  collect,
  each,
  graph,
  memory,
  memoryCache,
  op,
  type CacheStore,
  type EngineOptions,
  type OpCtx,
  type Ref,
} from "../../src/index.ts";
import { sqliteCache } from "../../src/node/index.ts";
import { temporaryFolder } from "../node/temporary-folder.ts";
import { RecordKind } from "../../src/events/record.ts";
import { VirtualClock, turns } from "./support/clock.ts";
import { crashEverywhere, open } from "./support/engines.ts";
import { eventually, forever, gate } from "./support/gate.ts";

const hour = { ttl: "1h" } as const;

/** An op that says how often it ran, and with what. */
function counted(run: (x: unknown) => unknown = (x) => x) {
  const ran: unknown[] = [];
  const look = op("look", { cache: hour }, async ({ x }: { x: unknown }) => {
    ran.push(x);
    return { y: await run(x), run: ran.length };
  });
  return { look, ran };
}

test("R20 an equal call is answered without running, in this run and in the next", async () => {
  const { look, ran } = counted();
  const g = graph("g", (input: Ref<{ xs: unknown[] }>) => ({ all: collect(look({ x: each(input.xs) }).y) }));
  const engine = await open();
  expect(await engine.run(g, { xs: [1, 2, 1, 1, 2] })).toEqual({ all: [1, 2, 1, 1, 2] });
  expect(await engine.run(g, { xs: [2, 3] })).toEqual({ all: [2, 3] });
  expect(ran).toEqual([1, 2, 3]);
});

test("R20 P0.1 H88 graphs of equal names and equal op names but other code never share", async () => {
  const double = op("look", { cache: hour }, async ({ x }: { x: number }) => ({ y: x * 2 }));
  const triple = op("look", { cache: hour }, async ({ x }: { x: number }) => ({ y: x * 3 }));
  const one = graph("g", (input: Ref<{ x: number }>) => ({ y: double({ x: input.x }).y }));
  const other = graph("g", (input: Ref<{ x: number }>) => ({ y: triple({ x: input.x }).y }));
  expect(one.plan.fingerprint).toBe(other.plan.fingerprint);
  for (const cache of [undefined, memoryCache()]) {
    const engine = await open(cache === undefined ? {} : { cache });
    expect(await Promise.all([engine.run(one, { x: 5 }), engine.run(other, { x: 5 })])).toEqual([{ y: 10 }, { y: 15 }]);
    expect(await engine.run(other, { x: 5 })).toEqual({ y: 15 });
    expect(await engine.run(one, { x: 5 })).toEqual({ y: 10 });
  }
});

test("P0.1 H88 ops that one function made out of one text are two, in an engine's own cache", async () => {
  const times = (k: number) => op("look", { cache: hour }, async ({ x }: { x: number }) => ({ y: x * k }));
  const engine = await open();
  expect(await engine.run(times(2), { x: 5 })).toEqual({ y: 10 });
  expect(await engine.run(times(3), { x: 5 })).toEqual({ y: 15 });
});

test("R20 two nodes of one op, and two versions of it, each have their own", async () => {
  const { look, ran } = counted();
  const g = graph("g", (input: Ref<{ x: unknown }>) => ({
    a: look({ x: input.x }).run,
    b: look({ x: input.x }, { name: "again" }).run,
  }));
  const engine = await open();
  const first = await engine.run(g, { x: 1 });
  expect(await engine.run(g, { x: 1 })).toEqual(first);
  expect(ran).toEqual([1, 1]);
  const body = async ({ x }: { x: unknown }) => ({ y: ran.push(x) });
  const store = memoryCache();
  const shared = await open({ cache: store });
  expect(await shared.run(op("v", { cache: hour, version: "1" }, body), { x: 1 })).toEqual({ y: 3 });
  expect(await shared.run(op("v", { cache: hour, version: "2" }, body), { x: 1 })).toEqual({ y: 4 });
  expect(await shared.run(op("v", { cache: hour, version: "1" }, body), { x: 1 })).toEqual({ y: 3 });
});

const sparse: unknown[] = [];
sparse.length = 1;
const alike: readonly (readonly [string, unknown, unknown])[] = [
  ["a date and its text", new Date(0), new Date(0).toISOString()],
  ["a date and its JSON form", new Date(0), JSON.stringify(new Date(0))],
  ["0 and -0", 0, -0],
  ["NaN and null", Number.NaN, null],
  ["undefined and null", [undefined], [null]],
  ["a hole and undefined", sparse, [undefined]],
  ["a missing and an undefined key", {}, { a: undefined }],
  ["maps of another order", new Map([[1, 2], [3, 4]]), new Map([[3, 4], [1, 2]])], // prettier-ignore
  ["a map and an empty object", new Map(), {}],
  ["a set and its list", new Set([1]), [1]],
  ["1 and '1'", 1, "1"],
  ["1 and 1n", 1, 1n],
  ["keys that could be read as another list", ["a", "b"], ["a,b"]],
  ["what looks like a tag", { $t: "undefined" }, undefined],
  ["bytes of another type", new Uint8Array([1, 0]), new Uint16Array([1])],
];

test.each(alike)("P0.2 R20 %s are two inputs", async (_title, one, other) => {
  const { look, ran } = counted(() => 0);
  const engine = await open();
  await engine.run(look, { x: one });
  await engine.run(look, { x: other });
  await engine.run(look, { x: one });
  expect(ran).toEqual([one, other]);
});

test("R20 the order of keys makes no difference, and cache.key says what does", async () => {
  const ran: string[] = [];
  const byUrl = op(
    "look",
    { cache: { ttl: "1h", key: (i: { url: string }) => i.url.toLowerCase() } },
    async ({ url, depth }: { url: string; depth: number }) => ({ url, depth, n: ran.push(url) }),
  );
  const engine = await open();
  expect(await engine.run(byUrl, { url: "A", depth: 1 })).toEqual({ url: "A", depth: 1, n: 1 });
  expect(await engine.run(byUrl, { depth: 2, url: "a" })).toEqual({ url: "A", depth: 1, n: 1 });
  const { look, ran: ranToo } = counted();
  await engine.run(look, { x: { a: 1, b: { c: 2, d: 3 } } });
  await engine.run(look, { x: { b: { d: 3, c: 2 }, a: 1 } });
  expect(ranToo).toHaveLength(1);
});

test("R20 TTL goes by the engine's clock, from when the output was made", async () => {
  const clock = new VirtualClock();
  const { look, ran } = counted();
  const engine = await open({ clock });
  await engine.run(look, { x: 1 });
  await clock.advance(3_599_999);
  expect(await engine.run(look, { x: 1 })).toMatchObject({ run: 1 });
  await clock.advance(1);
  expect(await engine.run(look, { x: 1 })).toMatchObject({ run: 2 });
  expect(ran).toHaveLength(2);
});

test("R20 the bound holds: what was used least recently runs again", async () => {
  const ran: number[] = [];
  const look = op("look", { cache: { ttl: "1h", max: 2 } }, async ({ x }: { x: number }) => ({ n: ran.push(x) }));
  const engine = await open();
  for (const x of [1, 2, 1, 3, 1, 2, 3]) await engine.run(look, { x });
  expect(ran).toEqual([1, 2, 3, 2, 3]);
});

test("H88 errors are not kept", async () => {
  let tries = 0;
  const look = op("look", { cache: hour }, async () => {
    if (++tries < 3) throw new Error(`no ${tries}`);
    return { tries };
  });
  const engine = await open();
  await expect(engine.run(look, {})).rejects.toThrow("no 1");
  await expect(engine.run(look, {})).rejects.toThrow("no 2");
  expect(await engine.run(look, {})).toEqual({ tries: 3 });
  expect(await engine.run(look, {})).toEqual({ tries: 3 });
});

test("H88 a hundred equal calls at once are one execution, and none of the others holds a permit", async () => {
  const door = gate();
  const { look, ran } = counted(() => door.opened);
  const fan = graph("fan", (input: Ref<{ xs: number[] }>) => ({
    all: collect(look({ x: each(input.xs) }, { parallel: 100 }).run),
  }));
  const free = op("free", async () => ({ ok: true }));
  const engine = await open({ concurrency: 2 });
  const xs = Array.from({ length: 50 }, () => 7);
  const both = Promise.all([engine.run(fan, { xs }), engine.run(fan, { xs })]);
  await eventually("the leader runs", () => ran.length === 1);
  expect(await engine.run(free, {})).toEqual({ ok: true });
  door.open();
  expect(await both).toEqual([{ all: xs.map(() => 1) }, { all: xs.map(() => 1) }]);
  expect(ran).toEqual([7]);
});

test("H88 when the leader fails, is cancelled or times out, a follower takes over", async () => {
  let n = 0;
  const first = gate();
  const ways: Record<string, (ctx: OpCtx) => Promise<unknown>> = {
    fails: async () => {
      await first.opened;
      throw new Error("no");
    },
    hangs: () => forever(),
  };
  const make = (how: string) =>
    op("look", { cache: hour, timeout: { run: 50 } }, async ({ x }: { x: number }, ctx) => {
      if (++n === 1) await ways[how]!(ctx);
      return { x, n };
    });
  const engine = await open();
  const failing = make("fails");
  const [leader, ...followers] = [1, 1, 1].map((x) => engine.run(failing, { x }));
  leader!.catch(() => undefined);
  first.open();
  await expect(leader).rejects.toThrow("no");
  expect(await Promise.all(followers)).toEqual([{ x: 1, n: 2 }, { x: 1, n: 2 }]); // prettier-ignore
  n = 0;
  const hanging = make("hangs");
  const slow = engine.run(hanging, { x: 2 });
  const other = engine.run(hanging, { x: 2 });
  await expect(slow).rejects.toMatchObject({ code: "OpFailed" });
  expect(await other).toEqual({ x: 2, n: 2 });
  n = 0;
  const again = make("hangs");
  const cancelled = await engine.start(again, { x: 3 });
  await turns();
  const waiting = engine.run(again, { x: 3 });
  await cancelled.cancel();
  expect(await waiting).toEqual({ x: 3, n: 2 });
});

test("H88 a leader that drains before it started is no leader; a follower that drains goes on when it is resumed", async () => {
  const door = gate();
  const { look, ran } = counted(() => door.opened);
  const hold = op("hold", async () => ({ done: await door.opened }));
  const engine = await open({ concurrency: 1 });
  const holding = engine.run(hold, {});
  await turns();
  const leader = await engine.start(look, { x: 1 });
  await turns();
  const follower = await engine.start(look, { x: 1 });
  await turns();
  expect((await leader.drain()).status).toBe("drained");
  expect((await follower.drain()).status).toBe("drained");
  door.open();
  await holding;
  const resumed = [await engine.resume(follower.runId), await engine.resume(leader.runId)];
  expect(await Promise.all(resumed.map((run) => run.output()))).toEqual([{ run: 1 }, { run: 1 }]);
  expect(ran).toEqual([1]);
});

test("a hit is an ordinary output: after a crash at every record the cache is not needed", async () => {
  const ran: string[] = [];
  const look = op("look", { cache: hour }, async ({ x }: { x: string }) => {
    ran.push(x);
    return { y: new Map([[x, x.length]]) };
  });
  const g = graph("g", (input: Ref<{ xs: string[] }>) => ({ all: collect(look({ x: each(input.xs) }).y) }));
  const all = ["a", "bb", "a"].map((x) => new Map([[x, x.length]]));
  const survey = await crashEverywhere(g, { xs: ["a", "bb", "a"] }, ({ result }) => {
    expect(result).toMatchObject({ status: "completed", output: { all } });
  });
  expect(survey.result).toMatchObject({ status: "completed", output: { all } });
  const kinds = survey.recording.records.map((record) => record[0]);
  expect(kinds.filter((kind) => kind === RecordKind.output)).toHaveLength(3);
  expect(ran.slice(0, 2)).toEqual(["a", "bb"]);
});

test("hits are copies: who changes one changes no other", async () => {
  const look = op("look", { cache: hour }, async () => ({ list: [1] }));
  const engine = await open();
  for (let i = 0; i < 3; i++) {
    const { list } = await engine.run(look, {});
    expect(list).toEqual([1]);
    list.push(2);
  }
});

test("callers who tell the op something else do not share", async () => {
  const user = callerContext("user", z.object({ user: z.string() }));
  const look = op("look", { cache: hour, context: user }, async (_i: { x: number }, ctx) => ({
    for: ctx.context.user,
  }));
  const engine = await open();
  const as = (name: string) => engine.run(look, { x: 1 }, { context: { user: name } });
  expect([await as("a"), await as("b"), await as("a")]).toEqual([{ for: "a" }, { for: "b" }, { for: "a" }]);
});

test("what cannot be data, as input, key or output of a cached op, is that op's failure", async () => {
  const engine = await open();
  const input = op("look", { cache: hour }, async (_i: { f: unknown }) => ({}));
  await expect(engine.run(input, { f: () => 1 })).rejects.toThrow(/input.*function/s);
  const key = op("look", { cache: { ttl: 1, key: () => () => 1 } }, async () => ({}));
  await expect(engine.run(key, {})).rejects.toThrow(/cache key.*function/s);
  const throws = op("look", { cache: { ttl: 1, key: () => { throw new Error("no key"); } } }, async () => ({})); // prettier-ignore
  await expect(engine.run(throws, {})).rejects.toThrow("no key");
  const output = op("look", { cache: hour }, async () => ({ f: (): number => 1 }));
  await expect(engine.run(output, {})).rejects.toThrow(/output\.f: function/);
});

const later: CacheStore & { asked: number } = {
  asked: 0,
  async get(key) {
    this.asked++;
    return inner.get(key);
  },
  set: async (key, entry, bound) => inner.set(key, entry, bound),
  delete: async (key) => inner.delete(key),
};
const inner = memoryCache();

test("a store that takes time is asked once for calls at once, and a run that is cancelled meanwhile starts nothing", async () => {
  const { look, ran } = counted();
  const engine = await open({ cache: later });
  const [a, b] = await Promise.all([engine.run(look, { x: 1 }), engine.run(look, { x: 1 })]);
  expect([a.run, b.run]).toEqual([1, 1]);
  expect(await engine.run(look, { x: 1 })).toMatchObject({ run: 1 });
  expect(later.asked).toBe(2);
  const run = await engine.start(look, { x: 2 });
  await new Promise((resolve) => setImmediate(resolve));
  await run.cancel();
  await turns();
  expect(ran.length).toBeLessThanOrEqual(2);
});

test.each([
  ["throws", () => { throw new Error("down"); }], // prettier-ignore
  ["rejects", () => Promise.reject(new Error("down"))],
])("a store that %s costs a warning, no op", async (_how, fail) => {
  const warned: string[] = [];
  const { look, ran } = counted();
  const options: EngineOptions = { cache: { get: fail, set: fail, delete: fail }, warn: (text) => warned.push(text) };
  const engine = await open(options);
  expect(await engine.run(look, { x: 1 })).toMatchObject({ run: 1 });
  expect(await engine.run(look, { x: 1 })).toMatchObject({ run: 2 });
  expect(ran).toHaveLength(2);
  expect(warned).toEqual(["millrace: the cache store failed, and ops run as if nothing were kept: down"]);
});

test("what a store gives that cannot be read is a miss", async () => {
  const { look } = counted();
  const cache: CacheStore = {
    get: () => ({ value: "{", expires: Infinity }),
    set: () => undefined,
    delete: () => undefined,
  };
  const engine = await open({ cache, backend: memory() });
  expect(await engine.run(look, { x: 1 })).toMatchObject({ run: 1 });
});

test("a cached op is tried again like any other, and inline bodies are cached too", async () => {
  let tries = 0;
  const flaky = op("look", { cache: hour, retry: { attempts: 3, initial: 1, on: () => true } }, () => {
    if (++tries < 3) throw new Error("no");
    return { tries };
  });
  const engine = await open();
  expect(await Promise.all([engine.run(flaky, {}), engine.run(flaky, {})])).toEqual([{ tries: 3 }, { tries: 3 }]);
  expect(tries).toBe(3);
});

test("R20 with a cache in SQLite an engine of a later process gives out what an earlier one kept, also to a run that is resumed", async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const { look, ran } = counted(() => new Map([["a", 1n]]));
  const g = graph("g", (input: Ref<{ x: number }>) => ({ y: look({ x: input.x }).y }));
  for (let life = 0; life < 3; life++) {
    using cache = sqliteCache(join(folder.path, "cache.db"));
    const engine = await open({ cache, backend: memory() });
    expect(await engine.run(g, { x: 1 })).toEqual({ y: new Map([["a", 1n]]) });
    await engine.close();
  }
  using cache = sqliteCache(join(folder.path, "cache.db"));
  await crashEverywhere(g, { x: 1 }, ({ result }) => expect(result.status).toBe("completed"), { cache });
  expect(ran).toEqual([1]);
});

test("I11 a cancelled run leaves no flight behind, whether it leads or follows, and hands on what it led", async () => {
  const { look, ran } = counted(() => forever());
  const engine = await open();
  const runs = await Promise.all(Array.from({ length: 5 }, () => engine.start(look, { x: 1 })));
  await eventually("the first leads", () => ran.length === 1);
  for (const [i, run] of runs.entries()) {
    expect((await run.cancel()).status).toBe("cancelled");
    await eventually("the next leads", () => ran.length === Math.min(5, i + 2));
  }
  await turns();
  expect(ran).toHaveLength(5);
});
