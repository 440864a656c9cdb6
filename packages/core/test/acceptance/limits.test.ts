import { expect, test, vi } from "vitest";
import {
  collect,
  each,
  graph,
  memory,
  op,
  provide,
  race,
  resource,
  type Provision,
  type Ref,
  type Resource,
  type ResourceLimits,
} from "../../src/index.ts";
import { Turnstile } from "../../src/runtime/turnstile.ts";
import { turns, VirtualClock } from "./support/clock.ts";
import { open, resumedOn } from "./support/engines.ts";
import { eventually, forever, gate } from "./support/gate.ts";
import { crashedBehind, recordingOf } from "./support/journal.ts";

const Chat = resource<string>("chat");
const Db = resource<string>("db");
const limited = (token: Resource<string>, limits: ResourceLimits): Provision => provide(token, token.name, { limits });

/** How many bodies are inside, and how many were at most. */
function meter() {
  let active = 0;
  const seen = { most: 0, starts: [] as number[] };
  const inside = async <T>(work: () => Promise<T>): Promise<T> => {
    seen.most = Math.max(seen.most, ++active);
    try {
      return await work();
    } finally {
      active--;
    }
  };
  return { seen, inside };
}

/** The most that `starts` has in any half-open span of `ms`. */
function mostIn(starts: readonly number[], ms: number): number {
  return Math.max(...starts.map((from) => starts.filter((at) => at >= from && at < from + ms).length));
}

/** Three levels of graphs, each of which says how many of its items may go at once. */
function nested(clock: VirtualClock, cap: number) {
  const { seen, inside } = meter();
  const names = op("names", async function* ({ n }: { n: number }) {
    for (let i = 0; i < n; i++) {
      await clock.sleep(1);
      yield { i };
    }
  });
  const leaf = op("leaf", async ({ i }: { i: number }) =>
    inside(async () => {
      await clock.sleep(5);
      return { i };
    }),
  );
  const low = graph("low", (input: Ref<{ i: number }>) => ({
    i: leaf({ i: leaf({ i: input.i }).i }, { name: "again" }).i,
  }));
  const middle = graph("middle", (input: Ref<{ i: number }>) => ({
    all: collect(low({ i: names({ n: input.i }).i }, { parallel: cap }).i),
  }));
  const top = graph("top", (input: Ref<{ n: number }>) => ({
    all: collect(middle({ i: names({ n: input.n }).i }, { parallel: cap }).all),
  }));
  return { seen, top };
}

test.each([
  [2, 2],
  [1, 1],
  [8, 2],
  [8, 1],
])(
  "R19 P1.9 H60 nested graphs capped at %d each and a run cap of %d: never more bodies at once, and it ends",
  async (cap, runConcurrency) => {
    const clock = new VirtualClock();
    const { seen, top } = nested(clock, cap);
    const engine = await open({ clock, runConcurrency });
    const result = await clock.until(engine.run(top, { n: 4 }));
    expect(result).toEqual({ all: [[], [0], [0, 1], [0, 1, 2]] });
    expect(seen.most).toBe(Math.min(cap * cap, runConcurrency));
  },
);

test("R19 the engine's cap holds over runs that have caps of their own", async () => {
  const clock = new VirtualClock();
  const { seen, top } = nested(clock, 8);
  const engine = await open({ clock, runConcurrency: 2, concurrency: 3 });
  await clock.until(Promise.all([1, 2, 3].map(() => engine.run(top, { n: 4 }))));
  expect(seen.most).toBe(3);
});

/** An op that notes when it starts, under limits of the resource it needs. */
function timed(clock: VirtualClock, token: Resource<string> = Chat, lasts = 0) {
  const { seen, inside } = meter();
  const ask = op("ask", { needs: { it: token } }, ({ x }: { x: number }) =>
    inside(async () => {
      seen.starts.push(clock.elapsed);
      await clock.sleep(lasts);
      return { x };
    }),
  );
  const many = graph("many", (input: Ref<{ xs: number[] }>) => ({
    xs: collect(ask({ x: each(input.xs) }, { parallel: 100 }).x),
  }));
  return { seen, many, ask };
}
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

test("R19 a rate is kept by all runs together: no second has more starts than it may, and none is wasted", async () => {
  const clock = new VirtualClock();
  const { seen, many } = timed(clock, Chat, 50);
  const engine = await open({ clock, resources: [limited(Chat, { rate: { perSecond: 5 } })] });
  await clock.until(Promise.all([engine.run(many, { xs: upTo(7) }), engine.run(many, { xs: upTo(8) })]));
  expect(seen.starts).toEqual([0, 0, 0, 0, 0, 1000, 1000, 1000, 1000, 1000, 2000, 2000, 2000, 2000, 2000]);
});

test("R19 rates per second and per minute hold together", async () => {
  const clock = new VirtualClock();
  const { seen, many } = timed(clock);
  const engine = await open({ clock, resources: [limited(Chat, { rate: { perSecond: 2, perMinute: 5 } })] });
  await clock.until(engine.run(many, { xs: upTo(12) }));
  expect(mostIn(seen.starts, 1_000)).toBe(2);
  expect(mostIn(seen.starts, 60_000)).toBe(5);
  expect(seen.starts.at(-1)).toBe(120_000);
});

test("R19 a rate holds also for what was granted and then waited for a permit: it does not start in a bunch", async () => {
  const clock = new VirtualClock();
  const { seen, many } = timed(clock, Chat, 0);
  const busy = op("busy", async (_input: object) => {
    await clock.sleep(5_000);
    return {};
  });
  const engine = await open({ clock, concurrency: 1, resources: [limited(Chat, { rate: { perSecond: 2 } })] });
  const first = engine.run(busy, {});
  await clock.until(Promise.all([first, engine.run(many, { xs: upTo(6) })]));
  expect(seen.starts).toEqual([5_000, 5_000, 6_000, 6_000, 7_000, 7_000]);
});

test("what waits behind a start that waits for a permit goes when that start's second is over, not when it is done", async () => {
  const clock = new VirtualClock();
  const { seen, many } = timed(clock, Chat, 3_000);
  const busy = op("busy", async (_input: object) => {
    await clock.sleep(5_000);
    return {};
  });
  const engine = await open({ clock, concurrency: 2, resources: [limited(Chat, { rate: { perSecond: 1 } })] });
  const runs = [engine.run(busy, {}), engine.run(busy, {}), engine.run(many, { xs: upTo(2) })];
  await clock.until(Promise.all(runs));
  expect(seen.starts).toEqual([5_000, 6_000]);
});

test("a resource's concurrency holds over runs, and an op that waits for it holds no permit", async () => {
  const clock = new VirtualClock();
  const { seen, many } = timed(clock, Chat, 100);
  const free: number[] = [];
  const other = op("other", async ({ x }: { x: number }) => {
    free.push(clock.elapsed);
    await clock.sleep(1);
    return { x };
  });
  const others = graph("others", (input: Ref<{ xs: number[] }>) => ({ xs: collect(other({ x: each(input.xs) }).x) }));
  const engine = await open({ clock, concurrency: 3, resources: [limited(Chat, { concurrency: 2 })] });
  const runs = [
    engine.run(many, { xs: upTo(4) }),
    engine.run(many, { xs: upTo(4) }),
    engine.run(others, { xs: [1, 2] }),
  ];
  await clock.until(Promise.all(runs));
  expect(seen.most).toBe(2);
  expect(clock.elapsed).toBe(400);
  expect(free).toEqual([0, 1]);
});

test("L1 L2 two resources that ops need in either order, each at 1, neither deadlock nor starve the op that needs both", async () => {
  const clock = new VirtualClock();
  const order: string[] = [];
  const make = (name: string, needs: Record<string, Resource<string>>) =>
    op(name, { needs }, async ({ x }: { x: number }, ctx) => {
      order.push(ctx.node);
      await clock.sleep(10);
      return { x };
    });
  const ab = make("ab", { a: Chat, b: Db });
  const ba = make("ba", { a: Db, b: Chat });
  const a = make("a", { a: Chat });
  const b = make("b", { b: Db });
  const flow = graph("flow", (input: Ref<{ xs: number[] }>) => {
    const x = each(input.xs);
    const more = { parallel: 50 };
    return { all: collect({ a: a({ x }, more).x, b: b({ x }, more).x, ab: ab({ x }, more).x, ba: ba({ x }, more).x }) };
  });
  const engine = await open({ clock, resources: [limited(Chat, { concurrency: 1 }), limited(Db, { concurrency: 1 })] });
  await clock.until(engine.run(flow, { xs: upTo(5) }));
  // In the order they came: what needs both is not overtaken by what needs one.
  expect(order).toEqual(upTo(5).flatMap(() => ["a", "b", "ab", "ba"]));
});

test("the run timeout of an op begins when it has what it waited for", async () => {
  const clock = new VirtualClock();
  const ask = op("ask", { needs: { it: Chat }, timeout: { run: 100 } }, async ({ x }: { x: number }) => {
    await clock.sleep(90);
    return { x };
  });
  const many = graph("many", (input: Ref<{ xs: number[] }>) => ({
    xs: collect(ask({ x: each(input.xs) }, { parallel: 9 }).x),
  }));
  const engine = await open({ clock, resources: [limited(Chat, { concurrency: 1 })] });
  expect(await clock.until(engine.run(many, { xs: upTo(4) }))).toEqual({ xs: upTo(4) });
  expect(clock.elapsed).toBe(360);
});

test("P3 what waits can be cancelled: its run ends at once, the next in line moves up, and no timer is left", async () => {
  const clock = new VirtualClock();
  const { seen, many } = timed(clock);
  const engine = await open({ clock, resources: [limited(Chat, { rate: { perMinute: 1 } })] });
  await clock.until(engine.run(many, { xs: [1] }));
  const second = await engine.start(many, { xs: upTo(3) });
  const third = await engine.start(many, { xs: [1] });
  await turns();
  expect(await second.cancel("enough")).toMatchObject({ status: "cancelled" });
  await clock.until(third.result());
  expect(seen.starts).toEqual([0, 60_000]);
  expect(clock.armed).toBe(0);
});

test("C3 a cancelled body keeps its resource until it settles, at most five seconds", async () => {
  for (const [lasts, next] of [
    [2_000, 2_000],
    [Infinity, 5_000],
  ] as const) {
    const clock = new VirtualClock();
    const deaf = op("deaf", { needs: { it: Chat } }, () => (lasts === Infinity ? forever() : clock.sleep(lasts)));
    const { seen, ask } = timed(clock);
    const engine = await open({ clock, resources: [limited(Chat, { concurrency: 1 })] });
    const handle = await engine.start(deaf, {});
    await turns();
    await handle.cancel();
    await clock.until(engine.run(ask, { x: 1 }));
    expect(seen.starts).toEqual([next]);
    expect(clock.armed).toBe(0);
  }
});

test("C3 so does one that timed out, body or generator", async () => {
  const clock = new VirtualClock();
  const deafBody = op("deafBody", { needs: { it: Chat }, timeout: { run: 10 } }, async (_input: object) => {
    await forever();
    return {};
  });
  const deafStream = op("deafStream", { needs: { it: Chat }, timeout: { idle: 10 } }, async function* (_input: object) {
    await forever();
    yield { x: 1 };
  });
  for (const runnable of [deafBody, deafStream]) {
    const start = clock.elapsed;
    const { seen, ask } = timed(clock);
    const engine = await open({ clock, resources: [limited(Chat, { concurrency: 1 })] });
    const handle = await engine.start(runnable, {});
    expect((await clock.until(handle.result())).errors).toMatchObject([{ code: "Timeout" }]);
    await clock.until(engine.run(ask, { x: 1 }));
    expect(seen.starts).toEqual([start + 5_010]);
    expect(clock.armed).toBe(0);
  }
});

test("an op that is swept while it waits, or holds a resource and waits for a permit, never starts and blocks nobody", async () => {
  for (const caps of [{}, { runConcurrency: 1 }]) {
    // Only where there is no second permit: the arm would win or lose by time otherwise.
    const holding = <A>(arm: A): { holds: A } => ("runConcurrency" in caps ? { holds: arm } : ({} as { holds: A }));
    const clock = new VirtualClock();
    const started: string[] = [];
    const make = (name: string, needs: Record<string, Resource<string>>) =>
      op(name, { needs }, async ({ x }: { x: number }) => {
        started.push(name);
        await clock.sleep(10);
        return { x };
      });
    const winner = make("winner", { a: Chat });
    const waits = make("waits", { a: Chat });
    const holds = make("holds", { b: Db });
    const after = make("after", { a: Chat, b: Db });
    const flow = graph("flow", (input: Ref<{ x: number }>) => {
      const won = race("won", {
        winner: () => winner({ x: input.x }),
        waits: () => waits({ x: input.x }),
        ...holding(() => holds({ x: input.x })),
      });
      return { x: after({ x: won.x }).x };
    });
    const resources = [limited(Chat, { concurrency: 1 }), limited(Db, { concurrency: 1 })];
    const engine = await open({ ...caps, clock, resources });
    expect(await clock.until(engine.run(flow, { x: 1 }))).toEqual({ x: 1 });
    expect(started).toEqual(["winner", "after"]);
    expect(clock.armed).toBe(0);
  }
});

test("a swept body keeps its resource until it settles", async () => {
  const clock = new VirtualClock();
  const { seen, ask } = timed(clock);
  const quick = op("quick", async (_input: object) => {
    await clock.sleep(5);
    return { x: 1 };
  });
  const deaf = op("deaf", { needs: { it: Chat } }, async (_input: object) => {
    await clock.sleep(100);
    return { x: 2 };
  });
  const flow = graph("flow", () => ask({ x: race("won", { quick: () => quick({}), deaf: () => deaf({}) }).x }));
  const engine = await open({ clock, resources: [limited(Chat, { concurrency: 1 })] });
  expect(await clock.until(engine.run(flow, {}))).toEqual({ x: 1 });
  expect(seen.starts).toEqual([100]);
});

test("C2 a generator and its consumer share a resource that takes one: it lets go while it waits for credit", async () => {
  const clock = new VirtualClock();
  const { seen, inside } = meter();
  const source = op("source", { needs: { it: Chat } }, async function* ({ n }: { n: number }) {
    for (let i = 0; i < n; i++) {
      await inside(() => clock.sleep(1));
      yield { i };
    }
  });
  const use = op("use", { needs: { it: Chat } }, ({ i }: { i: number }) =>
    inside(async () => {
      await clock.sleep(1);
      return { i };
    }),
  );
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    all: collect(use({ i: source({ n: input.n }).i }, { buffer: 1 }).i),
  }));
  for (const options of [{}, { backend: memory() }]) {
    const engine = await open({ ...options, clock, resources: [limited(Chat, { concurrency: 1 })] });
    expect(await clock.until(engine.run(flow, { n: 5 }))).toEqual({ all: upTo(5) });
    expect(seen.most).toBe(1);
  }
});

test("generators take no permit of run or engine, only their resource's; a rate counts them once", async () => {
  const clock = new VirtualClock();
  const { seen, inside } = meter();
  const source = op("source", { needs: { it: Chat } }, async function* ({ k }: { k: number }) {
    seen.starts.push(clock.elapsed);
    for (let i = 0; i < 3; i++) {
      await inside(() => clock.sleep(10));
      yield { i: k * 10 + i };
    }
  });
  const take = op("take", async ({ i }: { i: number }) => {
    await clock.sleep(1);
    return { i };
  });
  const flow = graph("flow", (input: Ref<{ ks: number[] }>) => ({
    all: collect(collect(take({ i: source({ k: each(input.ks) }, { parallel: 9 }).i }, { buffer: 1 }).i)),
  }));
  const limits = { concurrency: 2, rate: { perSecond: 3 } };
  const engine = await open({ clock, runConcurrency: 1, concurrency: 1, resources: [limited(Chat, limits)] });
  const { all } = await clock.until(engine.run(flow, { ks: [0, 1, 2, 3] }));
  expect(all).toEqual([0, 1, 2, 3].map((k) => [k * 10, k * 10 + 1, k * 10 + 2]));
  expect(seen.most).toBe(2);
  expect(mostIn(seen.starts, 1_000)).toBe(3);
  expect(seen.starts.at(-1)).toBe(1_000);
});

test("tokens that bodies report keep further ones waiting until a minute's spending is over", async () => {
  const clock = new VirtualClock();
  const starts: number[] = [];
  const ask = op("ask", { needs: { model: Chat } }, async ({ x }: { x: number }, ctx) => {
    starts.push(clock.elapsed);
    ctx.spend("model", 600);
    await clock.sleep(10_000);
    return { x };
  });
  const many = graph("many", (input: Ref<{ xs: number[] }>) => ({ xs: collect(ask({ x: each(input.xs) }).x) }));
  const engine = await open({ clock, resources: [limited(Chat, { tokensPerMinute: 1_000 })] });
  await clock.until(engine.run(many, { xs: upTo(5) }));
  // 1,200 are spent by the second; the first's 600 are a minute old at 60 s, the second's at 70 s.
  expect(starts).toEqual([0, 10_000, 60_000, 70_000, 120_000]);
});

test("a wrong report of tokens fails the op by name", async () => {
  const wrong = op("wrong", { needs: { model: Chat } }, ({ key, n }: { key: string; n: number }, ctx) => {
    ctx.spend(key as "model", n);
    return {};
  });
  const engine = await open({ resources: [limited(Chat, { tokensPerMinute: 1 })] });
  await expect(engine.run(wrong, { key: "modle", n: 1 })).rejects.toThrow('"wrong" has no resource "modle"');
  await expect(engine.run(wrong, { key: "model", n: -1 })).rejects.toThrow("-1 is not a number of tokens");
});

test("an attempt that is retried gives its resource back for the wait, and every attempt is a start", async () => {
  const clock = new VirtualClock();
  const starts: string[] = [];
  const retry = { attempts: 3, initial: 1_000, jitter: "none", on: () => true } as const;
  const shaky = op("shaky", { needs: { it: Chat }, retry }, async ({ x }: { x: number }, ctx) => {
    starts.push(`${x} ${ctx.attempt} ${clock.elapsed}`);
    await clock.sleep(10);
    if (x === 0 && ctx.attempt === 1) throw new Error("again");
    return { x };
  });
  const many = graph("many", (input: Ref<{ xs: number[] }>) => ({
    xs: collect(shaky({ x: each(input.xs) }, { parallel: 9 }).x),
  }));
  const limits = { concurrency: 1, rate: { perMinute: 2 } };
  const engine = await open({ clock, resources: [limited(Chat, limits)] });
  expect(await clock.until(engine.run(many, { xs: [0, 1] }))).toEqual({ xs: [0, 1] });
  expect(starts).toEqual(["0 1 0", "1 1 10", "0 2 60000"]);
});

test("bodies that return at once and those that throw give the resource back, and rates count them", async () => {
  const clock = new VirtualClock();
  const starts: number[] = [];
  const inline = op("inline", { needs: { it: Chat } }, ({ x }: { x: number }) => {
    starts.push(clock.elapsed);
    if (x === 1) throw new Error("no");
    return { x };
  });
  const many = graph("many", (input: Ref<{ xs: number[] }>) => ({
    xs: collect(inline({ x: each(input.xs) }, { parallel: 9 }).x, { errors: "skip" }),
  }));
  const limits = { concurrency: 1, rate: { perSecond: 2 } };
  const engine = await open({ clock, resources: [limited(Chat, limits)] });
  expect(await clock.until(engine.run(many, { xs: upTo(5) }))).toEqual({ xs: [0, 2, 3, 4] });
  expect(starts).toEqual([0, 0, 1_000, 1_000, 2_000]);
});

test.each([{}, { backend: memory() }])(
  "what waits for its resource when the run drains starts after the resume",
  async (options) => {
    const clock = new VirtualClock();
    const { seen, many } = timed(clock, Chat, 100);
    const engine = await open({ ...options, clock, graphs: [many], resources: [limited(Chat, { concurrency: 1 })] });
    const handle = await engine.start(many, { xs: upTo(3) }, { id: "r" });
    await turns();
    expect(await clock.until(handle.drain())).toMatchObject({ status: "drained" });
    expect(seen.starts).toEqual([0]);
    const resumed = await engine.resume("r");
    expect(await clock.until(resumed.result())).toMatchObject({ status: "completed", output: { xs: upTo(3) } });
    expect(seen.starts).toEqual([0, 100, 200]);
  },
);

test("a run that crashed while its ops waited goes on under the next engine's limits", async () => {
  const clock = new VirtualClock();
  const { seen, many } = timed(clock, Chat, 100);
  const backend = memory();
  const engine = await open({ backend, clock, resources: [limited(Chat, { concurrency: 1 })] });
  const handle = await engine.start(many, { xs: upTo(3) }, { id: "r" });
  await clock.until(handle.result());
  const recording = await recordingOf(backend, "r");
  const result = resumedOn(await crashedBehind(recording, 2), many, {
    clock,
    resources: [limited(Chat, { concurrency: 2 })],
  });
  expect(await clock.until(result)).toMatchObject({ output: { xs: upTo(3) } });
  expect(seen.most).toBe(2);
});

test("closing the engine starts nothing of what waited", async () => {
  const done = gate();
  const started: number[] = [];
  const hold = op("hold", { needs: { it: Chat } }, async ({ x }: { x: number }) => {
    started.push(x);
    await done.opened;
    return { x };
  });
  const engine = await open({ backend: memory(), resources: [limited(Chat, { concurrency: 1 })] });
  const handles = [await engine.start(hold, { x: 1 }), await engine.start(hold, { x: 2 })];
  const results = handles.map((handle) => handle.result().catch((error: { code: string }) => error.code));
  await eventually("the first started", () => started.length === 1);
  await engine.close();
  done.open();
  expect(await Promise.all(results)).toEqual(["EngineClosed", "EngineClosed"]);
  expect(started).toEqual([1]);
});

test("ops whose resources have no limits never come to the turnstile", async () => {
  const request = vi.spyOn(Turnstile.prototype, "request");
  const engine = await open({ resources: [provide(Chat, "chat", { limits: {} })] });
  const ask = op("ask", { needs: { it: Chat } }, async ({ x }: { x: number }, ctx) => ({ x, it: ctx.resources.it }));
  expect(await engine.run(ask, { x: 1 })).toEqual({ x: 1, it: "chat" });
  expect(request).not.toHaveBeenCalled();
  request.mockRestore();
});

test.each([
  [{ concurrency: 0 }, 'limits.concurrency of resource "chat" is 0'],
  [{ rate: { perSecond: 1.5 } }, 'limits.rate.perSecond of resource "chat" is 1.5'],
  [{ rate: { perHour: 5 } }, 'limits.rate of resource "chat" has no "perHour"'],
  [{ rate: 5 }, 'limits.rate of resource "chat" is not a record'],
  [{ tokensPerMinute: Number.NaN }, 'limits.tokensPerMinute of resource "chat" is NaN'],
  [{ tokens: 5 }, 'limits of resource "chat" has no "tokens"'],
])("R30 limits %j are refused, naming resource and field", (limits, message) => {
  expect(() => limited(Chat, limits as never)).toThrow(message);
});
