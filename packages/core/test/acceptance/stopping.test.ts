import { expect, test } from "vitest";
import { collect, each, graph, memory, op, type Ref } from "../../src/index.ts";
import { VirtualClock } from "./support/clock.ts";
import { open } from "./support/engines.ts";
import { effects } from "./support/files.ts";
import { forever, gate } from "./support/gate.ts";
import { recordingOf } from "./support/journal.ts";

const deaf = op("deaf", async (_input: { n: number }): Promise<{ n: number }> => forever());
const after = op("after", async ({ n }: { n: number }) => ({ n }));
const stuck = graph("stuck", (input: Ref<{ n: number }>) => ({ n: after({ n: deaf({ n: input.n }).n }).n }));
const cancelled = { status: "cancelled", reason: "enough", errors: [], cells: {} };

test("F03 cancel settles every pending result and output of the handle within a second, although the body ignores its signal", async () => {
  const engine = await open({ backend: memory() });
  const handle = await engine.start(stuck, { n: 1 }, { id: "r" });
  const pending = Promise.allSettled([handle.result(), handle.output(), handle.output(), handle.drain()]);
  const before = performance.now();
  const own = await handle.cancel("enough");
  const [result, first, second, drained] = await pending;
  expect(performance.now() - before).toBeLessThan(1_000);
  expect(own).toEqual(cancelled);
  expect(result).toEqual({ status: "fulfilled", value: cancelled });
  expect(drained).toEqual({ status: "fulfilled", value: cancelled });
  for (const output of [first, second])
    expect(output).toMatchObject({ status: "rejected", reason: { code: "RunCancelled" } });
  expect((first as PromiseRejectedResult).reason.message).toContain("enough");
  expect(await engine.get("r")).toMatchObject({ status: "cancelled", reason: "enough", finished: {} });
});

test("F03 the same without a backend, from engine.cancel, and for engine.run", async () => {
  const engine = await open();
  const running = engine.run(stuck, { n: 1 }, { id: "r" });
  const settled = running.catch((error: unknown) => error);
  const before = performance.now();
  expect(await engine.cancel("r", "enough")).toEqual(cancelled);
  expect(await settled).toMatchObject({ code: "RunCancelled" });
  expect(performance.now() - before).toBeLessThan(1_000);
});

/** One op in flight, one in back-off, one behind it in a lane, one that would follow: none of them may start again. */
function watched(clock: VirtualClock, ran: { add(line: string): void }) {
  const inFlight = op("inFlight", async ({ n }: { n: number }, ctx) => {
    ran.add(`inFlight ${n}`);
    ctx.signal.addEventListener("abort", () => ran.add(`aborted ${n}`));
    await clock.sleep(1_000);
    return { n };
  });
  const backingOff = op(
    "backingOff",
    { retry: { attempts: 5, initial: 500, jitter: "none" } },
    async (_input: { n: number }): Promise<{ n: number }> => {
      ran.add("backingOff");
      throw Object.assign(new Error("503"), { status: 503 });
    },
  );
  const follows = op("follows", async ({ n }: { n: number }) => {
    ran.add("follows");
    return { n };
  });
  return graph("watched", (input: Ref<{ xs: number[] }>) => {
    const items = collect(follows({ n: inFlight({ n: each(input.xs) }, { parallel: 2 }).n }).n);
    return { items, b: follows({ n: backingOff({ n: 1 }).n }, { name: "followsToo" }).n };
  });
}

test("F04 aborting the signal of run aborts the ops in flight, and two seconds later nothing else has started", async () => {
  for (const backend of [undefined, memory()]) {
    const clock = new VirtualClock();
    const ran = effects();
    const deadline = new AbortController();
    const engine = await open({ clock, ...(backend === undefined ? {} : { backend }) });
    const running = engine.run(watched(clock, ran), { xs: [1, 2, 3] }, { signal: deadline.signal });
    const failure = running.catch((error: unknown) => error);
    await clock.advance(100);
    expect(ran.lines()).toEqual(["backingOff", "inFlight 1", "inFlight 2"]);
    deadline.abort(new Error("too late"));
    expect(await failure).toMatchObject({ code: "RunCancelled", message: expect.stringContaining("too late") });
    const aborted = ran.lines();
    expect(aborted.slice(3).toSorted()).toEqual(["aborted 1", "aborted 2"]);
    await clock.advance(2_000);
    expect(ran.lines()).toEqual(aborted);
    expect(clock.armed).toBe(0);
  }
});

test("F04 a signal that was aborted before the run starts nothing and leaves no run behind", async () => {
  const ran = effects();
  const clock = new VirtualClock();
  const engine = await open({ clock, backend: memory() });
  const running = engine.run(watched(clock, ran), { xs: [1] }, { signal: AbortSignal.abort() });
  await expect(running).rejects.toMatchObject({ code: "RunCancelled" });
  expect(ran.lines()).toEqual([]);
  expect(await engine.list()).toEqual([]);
});

test("F04 the signal keeps no listener once the run has ended, so that one signal may serve many runs", async () => {
  const engine = await open();
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--;
    remove(...args);
  };
  const quick = graph("quick", (input: Ref<{ n: number }>) => ({ n: after({ n: input.n }).n }));
  for (let n = 0; n < 20; n++) await engine.run(quick, { n }, { signal });
  expect(listeners).toBe(0);
});

test("F03 a generator's finally runs when the run is cancelled", async () => {
  const ran = effects();
  const open2 = gate();
  const ticks = op("ticks", async function* (_input: { n: number }) {
    try {
      yield { k: 1 };
      yield { k: 2 };
    } finally {
      ran.add("closed");
      open2.open();
    }
  });
  const ticking = graph("ticking", (input: Ref<{ n: number }>) => ({
    n: collect(deaf({ n: ticks({ n: input.n }).k }, { buffer: 1 }).n),
  }));
  const engine = await open();
  const handle = await engine.start(ticking, { n: 1 });
  await new Promise((resolve) => setImmediate(resolve));
  await handle.cancel();
  await open2.opened;
  expect(ran.lines()).toEqual(["closed"]);
});

test("H51 a hundred bodies that never settle hold up neither the cancel nor the close of the engine", async () => {
  const engine = await open({ backend: memory() });
  const crowd = graph("crowd", (input: Ref<{ xs: number[] }>) => ({
    n: collect(deaf({ n: each(input.xs) }, { parallel: 100 }).n),
  }));
  const xs = Array.from({ length: 100 }, (_, i) => i);
  const one = await engine.start(crowd, { xs });
  const two = await engine.start(crowd, { xs });
  const before = performance.now();
  expect((await one.cancel()).status).toBe("cancelled");
  const lost = two.result().catch((error: unknown) => error);
  await engine.close();
  expect(await lost).toMatchObject({ code: "EngineClosed" });
  expect(performance.now() - before).toBeLessThan(1_000);
});

test("H52 bodies, generators and validations that reject after the run was cancelled cause no unhandled rejection", async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", note);
  const late = gate();
  const rejects = op("rejects", async (_input: { n: number }): Promise<{ n: number }> => {
    await late.opened;
    throw new Error("late");
  });
  const source = op("source", async function* ({ n }: { n: number }) {
    await late.opened;
    if (n >= 0) throw new Error("late generator");
    yield { n };
  });
  const closes = op("closes", async function* (_input: { n: number }) {
    try {
      yield { n: 1 };
    } finally {
      // oxlint-disable-next-line no-unsafe-finally -- a finalizer that rejects is what this is about
      throw new Error("in finally");
    }
  });
  const messy = graph("messy", (input: Ref<{ n: number }>) => ({
    a: rejects({ n: input.n }).n,
    b: collect(source({ n: input.n }).n),
    c: collect(deaf({ n: closes({ n: input.n }).n }, { buffer: 1 }).n),
  }));
  const engine = await open();
  for (let i = 0; i < 3; i++) {
    const handle = await engine.start(messy, { n: i });
    await new Promise((resolve) => setImmediate(resolve));
    await handle.cancel();
  }
  late.open();
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

test("H53 a thousand cancels against a thousand finishes: one terminal record each, and everybody is told what it says", async () => {
  const backend = memory();
  const engine = await open({ backend });
  const steps = [1, 2, 3, 4, 5, 6];
  const quick = graph("quick", (input: Ref<{ n: number }>) => ({
    n: steps.reduce((n, step) => after({ n }, { name: `step${step}` }).n, input.n),
  }));
  const seen: Record<string, number> = {};
  for (let i = 0; i < 1_000; i++) {
    // The pump gives the host a turn every few milliseconds; without one, nothing would complete any more.
    await new Promise((resolve) => setImmediate(resolve));
    const handle = await engine.start(quick, { n: i }, { id: `r${i}` });
    for (let turn = 0; turn < i % 40; turn++) await Promise.resolve();
    const [told, result] = await Promise.all([handle.cancel(), handle.result()]);
    const { records } = await recordingOf(backend, `r${i}`);
    const ends = records.filter(([kind]) => kind === 9);
    expect(ends).toHaveLength(1);
    expect(records.at(-1)).toBe(ends[0]);
    expect(told).toEqual(result);
    expect(ends[0]?.[1]).toMatchObject({ status: result.status });
    expect((await engine.get(`r${i}`))?.status).toBe(result.status);
    seen[result.status] = (seen[result.status] ?? 0) + 1;
  }
  expect(seen["cancelled"]).toBeGreaterThan(100);
  expect(seen["completed"]).toBeGreaterThan(100);
});
