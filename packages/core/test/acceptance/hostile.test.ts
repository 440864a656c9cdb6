import { afterEach, beforeEach, expect, test } from "vitest";
import { collect, derive, each, graph, memory, op, type Observer, type Ref } from "../../src/index.ts";
import { VirtualClock } from "./support/clock.ts";
import { open } from "./support/engines.ts";
import { Faulty } from "./support/faulty.ts";
import { forever, gate } from "./support/gate.ts";

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeEach(() => void process.on("unhandledRejection", note));
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off("unhandledRejection", note);
  const [first] = unhandled.splice(0);
  if (first !== undefined) throw new Error("a rejection was left unhandled", { cause: first });
});

/* oxlint-disable unicorn/no-thenable -- what userland promises look like is what some of this is about */

/** A run in which one op does what it is told and another is fine. */
function beside(body: () => unknown, options: object = {}) {
  const strange = op(
    "strange",
    { ...options, async: true },
    (_input: { n: number }) => body() as Promise<{ n: number }>,
  );
  const fine = op("fine", async ({ n }: { n: number }) => ({ n: n + 1 }));
  return graph("beside", (input: Ref<{ n: number }>) => {
    strange({ n: input.n });
    return { n: fine({ n: input.n }).n };
  });
}

const settled = async <T>(promise: Promise<T>): Promise<T | "hangs"> =>
  Promise.race([promise, new Promise<"hangs">((resolve) => setTimeout(() => resolve("hangs"), 1_000))]);

const throwing = (what: unknown) => () => {
  throw what;
};
class Loud extends Error {
  override get message(): string {
    throw new Error("even the message throws");
  }
}
const proxy = (): object =>
  new Proxy(
    {},
    {
      get: throwing(new Error("get")),
      has: throwing(new Error("has")),
      ownKeys: throwing(new Error("ownKeys")),
      getPrototypeOf: throwing(new Error("getPrototypeOf")),
    },
  );

test.each<[string, () => unknown]>([
  ["throws undefined", throwing(undefined)],
  ["throws null", throwing(null)],
  ["throws text", throwing("plain text")],
  ["throws a bigint", throwing(10n)],
  ["throws a symbol", throwing(Symbol("s"))],
  ["throws a frozen error", throwing(Object.freeze(new Error("frozen")))],
  ["throws an error that cannot be read", throwing(new Loud())],
  ["throws a proxy that throws", throwing(proxy())],
  [
    "throws an error whose cause is itself",
    throwing(
      Object.defineProperty(new Error("self"), "cause", {
        get(): unknown {
          return this;
        },
      }),
    ),
  ],
  ["rejects with undefined", async () => Promise.reject(undefined)],
  ["rejects with an error that cannot be read", async () => Promise.reject(new Loud())],
  ["rejects with a proxy that throws", async () => Promise.reject(proxy())],
  [
    "throws an error with data that cannot be journaled",
    throwing(Object.assign(new Error("data"), { data: { f: () => 1 } })),
  ],
  [
    "returns something whose then throws",
    () => ({
      get then() {
        throw new Error("then");
      },
    }),
  ],
  ["returns a proxy that throws", proxy],
])("R07 whatever a body does, it is that op's failure and nothing else's: a body that %s", async (_name, body) => {
  for (const retry of [undefined, { retry: { attempts: 2, initial: 1 } }]) {
    for (const journaled of [false, true]) {
      const engine = await open(journaled ? { backend: memory() } : {});
      const result = await settled((await engine.start(beside(body, retry), { n: 1 })).result());
      expect(result).toMatchObject({ status: "completed", output: { n: 2 }, errors: [{ node: "strange", count: 1 }] });
      await engine.close();
    }
  }
});

test("R05 a retry.on that throws decides against another attempt, and the failure is the op's", async () => {
  let attempts = 0;
  const options = { retry: { attempts: 3, initial: 1, on: throwing(new Error("on")) } };
  const body = async (): Promise<never> => {
    attempts++;
    throw new Error("the failure");
  };
  const engine = await open();
  const result = await settled((await engine.start(beside(body, options), { n: 1 })).result());
  expect(result).toMatchObject({
    status: "completed",
    errors: [{ node: "strange", message: expect.stringContaining("the failure") }],
  });
  expect(attempts).toBe(1);
});

test("R19 a thenable that answers twice counts once: the caps stay exact and nothing runs twice", async () => {
  let active = 0;
  let most = 0;
  const twice = op("twice", { async: true }, ({ n }: { n: number }) => {
    most = Math.max(most, ++active);
    const thenable = {
      then(resolve: (value: { n: number }) => void) {
        setImmediate(() => {
          active--;
          resolve({ n });
          resolve({ n: -1 });
        });
      },
    };
    return thenable as unknown as Promise<{ n: number }>;
  });
  const flow = graph("flow", (input: Ref<{ xs: number[] }>) => ({
    all: collect(twice({ n: each(input.xs) }, { parallel: 20 }).n),
  }));
  const engine = await open({ concurrency: 3 });
  const xs = Array.from({ length: 30 }, (_, i) => i);
  expect(await engine.run(flow, { xs })).toEqual({ all: xs });
  expect(most).toBe(3);
});

test("an async iterator whose promises are not native ones is awaited like any other", async () => {
  const foreign = op("foreign", { stream: true }, ({ n }: { n: number }) => {
    let k = 0;
    const next = () => ({
      then(resolve: (result: IteratorResult<{ k: number }>) => void) {
        if (k > 1_000) throw new Error("asked without end");
        setImmediate(() => resolve(k < n ? { done: false, value: { k: k++ } } : { done: true, value: undefined }));
      },
    });
    return { [Symbol.asyncIterator]: () => ({ next }) } as unknown as AsyncGenerator<{ k: number }>;
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ all: collect(foreign({ n: input.n }).k) }));
  const engine = await open();
  expect(await settled(engine.run(flow, { n: 3 }))).toEqual({ all: [0, 1, 2] });
});

test.each<[string, () => unknown]>([
  ["gives null instead of a result", () => null],
  ["gives a number instead of a result", () => 7],
  ["throws", throwing(new Error("next"))],
  ["rejects", async () => Promise.reject(new Error("next"))],
  ["throws something that cannot be read", throwing(new Loud())],
])("R07 an iterator whose next %s fails its op, and nothing hangs", async (_name, next) => {
  const odd = op(
    "odd",
    { stream: true },
    (_input: { n: number }) =>
      ({ [Symbol.asyncIterator]: () => ({ next }) }) as unknown as AsyncGenerator<{ k: number }>,
  );
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    all: collect(odd({ n: input.n }).k, { errors: "settle" }),
  }));
  const engine = await open();
  const result = await settled((await engine.start(flow, { n: 3 })).result());
  expect(result).toMatchObject({ status: "completed", output: { all: [{ ok: false, error: { node: "odd" } }] } });
});

test("an observer that throws is detached and reported once; the run does not notice", async () => {
  const warnings: string[] = [];
  let calls = 0;
  const observer: Observer = {
    attemptStarted() {
      calls++;
      throw new Error("observer broke");
    },
  };
  const step = op("step", async ({ n }: { n: number }) => ({ n }));
  const flow = graph("flow", (input: Ref<{ xs: number[] }>) => ({ all: collect(step({ n: each(input.xs) }).n) }));
  const engine = await open({ observer, warn: (text) => warnings.push(text) });
  expect(await settled(engine.run(flow, { xs: [1, 2, 3] }))).toEqual({ all: [1, 2, 3] });
  expect(calls).toBe(1);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain("observer broke");
});

test("H51 bodies of a cancelled run that never settle give their permits back within five seconds: other runs go on", async () => {
  const clock = new VirtualClock();
  const deaf = op("deaf", async (_input: { n: number }): Promise<{ n: number }> => forever());
  const quick = op("quick", async ({ n }: { n: number }) => ({ n }));
  const hanging = graph("hanging", (input: Ref<{ xs: number[] }>) => ({
    n: collect(deaf({ n: each(input.xs) }, { parallel: 5 }).n),
  }));
  const engine = await open({ clock, concurrency: 2 });
  const first = await engine.start(hanging, { xs: [1, 2, 3] });
  const second = await engine.start(
    graph("second", (input: Ref<{ n: number }>) => ({ n: quick({ n: input.n }).n })),
    { n: 1 },
  );
  await clock.advance(10);
  expect((await first.cancel()).status).toBe("cancelled");
  await clock.advance(5_100);
  expect(await settled(second.result())).toMatchObject({ status: "completed", output: { n: 1 } });
});

test("H51 under errors: raise as well", async () => {
  const clock = new VirtualClock();
  const deaf = op("deaf", async (_input: { n: number }): Promise<{ n: number }> => forever());
  const bad = op("bad", async (_input: { n: number }): Promise<{ n: number }> => {
    await clock.sleep(10);
    throw new Error("raised");
  });
  const quick = op("quick", async ({ n }: { n: number }) => ({ n }));
  const raising = graph("raising", (input: Ref<{ n: number }>) => ({
    a: deaf({ n: input.n }).n,
    b: bad({ n: input.n }).n,
  }));
  const engine = await open({ clock, concurrency: 2, errors: "raise" });
  const first = await engine.start(raising, { n: 1 });
  await clock.advance(20);
  expect((await first.result()).status).toBe("failed");
  await clock.advance(5_100);
  const both = graph("both", (input: Ref<{ n: number }>) => ({
    a: quick({ n: input.n }).n,
    b: quick({ n: input.n }, { name: "q2" }).n,
  }));
  expect(await settled(clock.until(engine.run(both, { n: 1 })))).toEqual({ a: 1, b: 1 });
});

test("F04 a signal aborted while start waits for the backend: the run is cancelled and nothing of it ever starts", async () => {
  const door = gate();
  const backend = new Faulty(memory());
  const create = backend.create.bind(backend);
  backend.create = async (run) => {
    await door.opened;
    return create(run);
  };
  const ran: number[] = [];
  const body = op("body", ({ n }: { n: number }) => {
    ran.push(n);
    return { n };
  });
  const engine = await open({ backend });
  const deadline = new AbortController();
  const running = engine.run(
    graph("flow", (input: Ref<{ n: number }>) => ({ n: body({ n: input.n }).n })),
    { n: 1 },
    { id: "r", signal: deadline.signal },
  );
  const failure = running.catch((error: unknown) => error);
  deadline.abort(new Error("too late"));
  door.open();
  expect(await failure).toMatchObject({ code: "RunCancelled" });
  expect(ran).toEqual([]);
  expect(await engine.get("r")).toMatchObject({ status: "cancelled" });
});

test("R07 an edge function that throws is EdgeFailed at the nearest named source, and only what reads it is skipped", async () => {
  const source = op("source", async ({ n }: { n: number }) => ({ n }));
  const use = op("use", async ({ n }: { n: number }) => ({ n }));
  const flow = graph("flow", (input: Ref<{ xs: number[] }>) => {
    const s = source({ n: each(input.xs) });
    const odd = derive(s.n, (n) => {
      if (n === 2) throw new RangeError("two");
      return n;
    });
    return { all: collect(use({ n: odd }).n, { errors: "skip" }), plain: collect(s.n) };
  });
  const engine = await open();
  const result = await (await engine.start(flow, { xs: [1, 2, 3] })).result();
  expect(result).toMatchObject({ status: "completed", output: { all: [1, 3], plain: [1, 2, 3] } });
  expect(result.errors).toMatchObject([
    {
      node: "source",
      path: "flow/input.xs[1]/source",
      code: "EdgeFailed",
      type: "RangeError",
      message: "two",
      count: 1,
    },
  ]);
  // Whoever reads that the op failed would look for the fault in its body.
  const warnings: string[] = [];
  const loud = await open({ warn: (text) => void warnings.push(text) });
  const one = graph("one", () => ({ n: derive(source({ n: 1 }).n, (n) => (n as unknown as { a: { b: 1 } }).a.b) }));
  await expect(loud.run(one, undefined)).rejects.toMatchObject({
    message: expect.stringMatching(
      /^"source" of graph "one" failed at one\/source: EdgeFailed: TypeError: Cannot read/,
    ),
  });
  const side = graph("side", () => {
    const s = source({ n: 1 });
    const thrown = derive(s.n, (): number => {
      throw new RangeError("two");
    });
    use({ n: thrown });
    return { n: s.n };
  });
  expect(await loud.run(side, undefined)).toEqual({ n: 1 });
  expect(warnings.join("\n")).toContain("source failed once, first at side/source: EdgeFailed: RangeError: two");
});

test("R19 a run has at most 64 bodies active by default, and as many as runConcurrency says", async () => {
  let active = 0;
  let most = 0;
  const body = op("body", async ({ n }: { n: number }) => {
    most = Math.max(most, ++active);
    await new Promise((resolve) => setImmediate(resolve));
    active--;
    return { n };
  });
  const flow = graph("flow", (input: Ref<{ xs: number[] }>) => ({
    all: collect(body({ n: each(input.xs) }, { parallel: 500 }).n),
  }));
  const xs = Array.from({ length: 300 }, (_, i) => i);
  for (const [options, expected] of [
    [{}, 64],
    [{ runConcurrency: 7 }, 7],
  ] as const) {
    most = 0;
    const engine = await open(options);
    await engine.run(flow, { xs });
    expect(most).toBe(expected);
  }
});
