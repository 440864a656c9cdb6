import { expect, test, vi } from "vitest";
import { z } from "zod";
import { collect, graph, memory, op, type NodeEvent, type Observer, type Ref } from "../../src/index.ts";
import { systemClock } from "../../src/ports/system.ts";
import { VirtualClock } from "./support/clock.ts";
import { afterCrash, open, undisturbed } from "./support/engines.ts";
import { constantEntropy } from "./support/entropy.ts";
import { recordingOf } from "./support/journal.ts";

const busy = (): Error => Object.assign(new Error("busy"), { status: 503 });

/** When each attempt of an op began, and an op that fails as often as it is told. */
function flaky(clock: VirtualClock, failures: number, error: () => Error = busy) {
  const attempts: { at: number; attempt: number; key: string }[] = [];
  const call = op(
    "call",
    { retry: { attempts: 3, initial: 100, factor: 3, jitter: "none" } },
    async ({ n }: { n: number }, ctx) => {
      attempts.push({ at: clock.elapsed, attempt: ctx.attempt, key: ctx.idempotencyKey });
      if (attempts.length <= failures) throw error();
      return { n };
    },
  );
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: call({ n: input.n }).n }));
  return { attempts, call, flow };
}

test("P1.1 R05 an op that fails twice with a transient error and has three attempts succeeds, and attempts 1, 2, 3 are seen and recorded", async () => {
  const clock = new VirtualClock();
  const { attempts, flow } = flaky(clock, 2);
  const seen: string[] = [];
  const observer: Observer = {
    attemptStarted: (event) => seen.push(`started ${event.attempt}`),
    attemptFailed: (event) => seen.push(`failed ${event.attempt}, again in ${event.retryInMs}`),
    finished: (event: NodeEvent) => seen.push(`finished ${event.node}`),
  };
  const backend = memory();
  const engine = await open({ clock, observer, backend });
  const handle = await engine.start(flow, { n: 7 }, { id: "r" });
  expect(await clock.until(handle.result())).toEqual({ status: "completed", output: { n: 7 }, errors: [], cells: {} });
  expect(attempts.map(({ at, attempt }) => [attempt, at])).toEqual([
    [1, 0],
    [2, 100],
    [3, 400],
  ]);
  expect(new Set(attempts.map(({ key }) => key)).size).toBe(1);
  expect(seen.filter((line) => line !== "finished input")).toEqual([
    "started 1",
    "failed 1, again in 100",
    "started 2",
    "failed 2, again in 300",
    "started 3",
    "finished call",
  ]);
  const failed = (await recordingOf(backend, "r")).records.filter(([kind]) => kind === 4);
  expect(failed.map((record) => record[3])).toEqual([1, 2]);
});

test("R05 the last attempt's failure is the op's, with the number of attempts", async () => {
  const clock = new VirtualClock();
  const { attempts, flow } = flaky(clock, 99);
  const engine = await open({ clock });
  const result = await clock.until((await engine.start(flow, { n: 7 })).result());
  expect(attempts).toHaveLength(3);
  expect(result).toMatchObject({
    status: "failed",
    errors: [{ node: "call", attempts: 3, count: 1, message: "busy" }],
  });
});

test("R05 by default half of the wait is random, the waits double, and only transient errors are tried again", async () => {
  const gaps: number[][] = [];
  for (const random of [0, 0.999999]) {
    const clock = new VirtualClock();
    const { attempts, call } = flaky(clock, 2);
    const flow = graph("flow", (input: Ref<{ n: number }>) => ({
      n: call({ n: input.n }, { retry: { initial: 500, factor: 2, jitter: "equal" } }).n,
    }));
    const engine = await open({ clock, entropy: constantEntropy(random) });
    await clock.until(engine.run(flow, { n: 1 }));
    const [first = 0, second = 0, third = 0] = attempts.map(({ at }) => at);
    gaps.push([second - first, third - second]);
  }
  expect(gaps).toEqual([
    [250, 500],
    [500, 1000],
  ]);
});

test.each([
  ["a plain error", () => new Error("no"), 1],
  ["HTTP 400", () => Object.assign(new Error("bad"), { status: 400 }), 1],
  ["HTTP 429", () => Object.assign(new Error("slow down"), { statusCode: 429 }), 3],
  ["a reset connection", () => Object.assign(new Error("reset"), { code: "ECONNRESET" }), 3],
  [
    "fetch failed for a connection",
    () => new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) }),
    3,
  ],
  ["an error that says it is final", () => Object.assign(new Error("503"), { status: 503, retryable: false }), 1],
])("R05 %s gets the attempts it deserves", async (_name, error, expected) => {
  const clock = new VirtualClock();
  const { attempts, flow } = flaky(clock, 99, error);
  const engine = await open({ clock });
  await clock.until((await engine.start(flow, { n: 1 })).result());
  expect(attempts).toHaveLength(expected);
});

test.each([
  ["a plain record of headers", { headers: { "retry-after": "7" } }],
  ["Headers", { headers: new Headers({ "Retry-After": "7" }) }],
  ["responseHeaders, as AI SDKs say it", { responseHeaders: { "retry-after": "7" } }],
])("R05 a server that says when to come back is believed: Retry-After in %s", async (_name, extra) => {
  const clock = new VirtualClock();
  const { attempts, flow } = flaky(clock, 1, () => Object.assign(new Error("slow down"), { status: 429, ...extra }));
  const engine = await open({ clock });
  await clock.until(engine.run(flow, { n: 1 }));
  expect(attempts[1]?.at).toBeGreaterThanOrEqual(7_000);
  expect(attempts[1]?.at).toBeLessThan(8_000);
});

test("R05 Retry-After may be an HTTP date, and one that is past or no date at all shortens nothing", async () => {
  for (const [written, expected] of [
    [new Date(Date.UTC(2026, 0, 1, 0, 0, 42)).toUTCString(), 42_000],
    [new Date(Date.UTC(2025, 0, 1)).toUTCString(), 100],
    ["soon", 100],
    // RFC 9110: whole seconds. Date.parse would take these for dates.
    ["0.1", 100],
    ["-5", 100],
    ["1.5", 100],
    ["0", 100],
    [" 7 ", 7_000],
    // Three dates that RFC 9110 §5.6.7 has a server write, the last without a zone.
    ["Thursday, 01-Jan-26 00:00:42 GMT", 42_000],
    ["Thu Jan  1 00:00:42 2026", 42_000],
    // A time stamp in the place of a wait is as if there were none.
    ["1767225642", 100],
    ["99999999999999999999", 100],
    ["Fri, 01 Jan 2100 00:00:00 GMT", 100],
  ] as const) {
    const clock = new VirtualClock();
    const headers = { "retry-after": written };
    const { attempts, flow } = flaky(clock, 1, () => Object.assign(new Error("slow down"), { status: 429, headers }));
    const engine = await open({ clock });
    await clock.until(engine.run(flow, { n: 1 }));
    expect(attempts[1]?.at, written).toBe(expected);
  }
});

test("R05 without retry there is one attempt, and retry: false at the call turns the op's off", async () => {
  const clock = new VirtualClock();
  const { attempts, call } = flaky(clock, 99);
  const off = graph("off", (input: Ref<{ n: number }>) => ({ n: call({ n: input.n }, { retry: false }).n }));
  const engine = await open({ clock });
  const result = await clock.until((await engine.start(off, { n: 1 })).result());
  expect(attempts).toHaveLength(1);
  expect(result.errors).toMatchObject([{ attempts: 1 }]);
});

test("P1.2 an op whose input or output breaks its schema runs once, whatever its retry says", async () => {
  const clock = new VirtualClock();
  const ran: string[] = [];
  const always = { retry: { attempts: 5, on: () => true } };
  const picky = op("picky", { ...always, input: z.object({ n: z.number().min(10) }) }, async ({ n }) => {
    ran.push("picky");
    return { n };
  });
  const sloppy = op("sloppy", { ...always, output: z.object({ n: z.number() }) }, async (_input: { n: number }) => {
    ran.push("sloppy");
    return { n: "many" as unknown as number };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    a: picky({ n: input.n }).n,
    b: sloppy({ n: input.n }).n,
  }));
  const engine = await open({ clock });
  const result = await clock.until((await engine.start(flow, { n: 1 })).result());
  expect(ran).toEqual(["sloppy"]);
  expect(result.errors).toMatchObject([
    { node: "picky", code: "InvalidValue", attempts: 1 },
    { node: "sloppy", code: "InvalidValue", attempts: 1 },
  ]);
});

test("P1.3 R05 a generator that fails behind its first item delivers that item once and is not tried again", async () => {
  const clock = new VirtualClock();
  let started = 0;
  const broken = op("broken", { retry: { attempts: 3, initial: 10 } }, async function* (_input: { n: number }) {
    started++;
    yield { k: 1 };
    throw busy();
  });
  const taken: number[] = [];
  const take = op("take", async ({ k }: { k: number }) => {
    taken.push(k);
    return { k };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    all: collect(take({ k: broken({ n: input.n }).k }).k, { errors: "settle" }),
  }));
  const engine = await open({ clock });
  const result = await clock.until((await engine.start(flow, { n: 1 })).result());
  expect(started).toBe(1);
  expect(taken).toEqual([1]);
  expect(result).toMatchObject({
    status: "completed",
    output: {
      all: [
        { ok: true, value: 1 },
        { ok: false, error: { node: "broken", message: "busy" } },
      ],
    },
    errors: [{ node: "broken", count: 1 }],
  });
});

test("R05 a generator that fails before its first item is tried again", async () => {
  const clock = new VirtualClock();
  let started = 0;
  const shaky = op("shaky", { retry: { attempts: 3, initial: 10 } }, async function* (_input: { n: number }) {
    if (++started < 3) throw busy();
    yield { k: 1 };
    yield { k: 2 };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ all: collect(shaky({ n: input.n }).k) }));
  const engine = await open({ clock });
  expect(await clock.until(engine.run(flow, { n: 1 }))).toEqual({ all: [1, 2] });
  expect(started).toBe(3);
});

test("H46 attempts that failed before a crash count: after it the op has the rest of its attempts, not all of them", async () => {
  const clock = new VirtualClock();
  const { attempts, flow } = flaky(clock, 99);
  const before = undisturbed(flow, { n: 1 }, { clock });
  const { recording, result } = await clock.until(before);
  const afterTwo = recording.records.findIndex((record) => record[0] === 4 && record[3] === 2) + 1;
  attempts.length = 0;
  const again = await clock.until(afterCrash(recording, afterTwo, flow, { clock }));
  expect(attempts.map(({ attempt }) => attempt)).toEqual([3]);
  expect(again).toEqual(result);
});

test("H47 a crash neither shortens nor restarts the wait before the next attempt", async () => {
  const clock = new VirtualClock();
  const { attempts, call } = flaky(clock, 1);
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    n: call({ n: input.n }, { retry: { attempts: 2, initial: "10s" } }).n,
  }));
  const { recording } = await clock.until(undisturbed(flow, { n: 1 }, { clock }));
  const failed = recording.records.findIndex(([kind]) => kind === 4) + 1;
  for (const [downMs, expected] of [
    [4_000, 10_000],
    [60_000, 60_000],
  ] as const) {
    const later = new VirtualClock(clock.start + downMs);
    attempts.length = 0;
    attempts.push({ at: 0, attempt: 1, key: "" });
    const due = later.start;
    await later.until(afterCrash(recording, failed, flow, { clock: later }));
    expect(attempts[1]?.attempt).toBe(2);
    expect(later.now() - due + downMs).toBe(expected);
  }
});

test("H57 a back-off of thirty days is thirty days, not a timer that overflows and fires at once", async () => {
  const clock = new VirtualClock();
  const { attempts, call } = flaky(clock, 1);
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    n: call({ n: input.n }, { retry: { initial: "30d", max: "40d" } }).n,
  }));
  const engine = await open({ clock });
  const handle = await engine.start(flow, { n: 1 });
  await clock.advance(29 * 86_400_000);
  expect(attempts).toHaveLength(1);
  await clock.until(handle.result());
  expect(attempts[1]?.at).toBe(30 * 86_400_000);
});

test("H57 the system's own clock sleeps longer than 2^31 milliseconds", () => {
  vi.useFakeTimers();
  try {
    const month = 30 * 86_400_000;
    const fired: number[] = [];
    const start = Date.now();
    systemClock.timer(month, () => fired.push(Date.now() - start));
    const cancel = systemClock.timer(month, () => fired.push(-1));
    vi.advanceTimersByTime(month - 1);
    expect(fired).toEqual([]);
    cancel();
    vi.advanceTimersByTime(1);
    expect(fired).toEqual([month]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
