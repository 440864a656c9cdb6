import { expect, test } from "vitest";
import { collect, each, graph, memory, op, type Ref } from "../../src/index.ts";
import { VirtualClock } from "./support/clock.ts";
import { crashEverywhere, open } from "./support/engines.ts";
import { forever, gate } from "./support/gate.ts";
import { recordingOf } from "./support/journal.ts";

test("P1.4 R06 an op slower than its run timeout with two attempts leaves two timed-out attempts, an abort each, and a skipped successor", async () => {
  const clock = new VirtualClock();
  const notes: string[] = [];
  const slow = op(
    "slow",
    { timeout: { run: "2s" }, retry: { attempts: 2, initial: 100, jitter: "none" } },
    async ({ n }: { n: number }, ctx) => {
      notes.push(`attempt ${ctx.attempt} at ${clock.elapsed}, due in ${(ctx.deadline ?? 0) - clock.now()}`);
      ctx.signal.addEventListener("abort", () => notes.push(`aborted ${ctx.attempt} at ${clock.elapsed}`));
      await clock.sleep(60_000);
      return { n };
    },
  );
  const next = op("next", async ({ n }: { n: number }) => {
    notes.push("next");
    return { n };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: next({ n: slow({ n: input.n }).n }).n }));
  const backend = memory();
  const engine = await open({ clock, backend });
  const handle = await engine.start(flow, { n: 1 }, { id: "r" });
  const result = await clock.until(handle.result());
  expect(clock.elapsed).toBe(4_100);
  await clock.advance(120_000);
  expect(notes).toEqual([
    "attempt 1 at 0, due in 2000",
    "aborted 1 at 2000",
    "attempt 2 at 2100, due in 2000",
    "aborted 2 at 4100",
  ]);
  expect(result).toMatchObject({
    status: "failed",
    errors: [{ node: "slow", type: "TimeoutError", code: "Timeout", attempts: 2, count: 1 }],
  });
  const failed = (await recordingOf(backend, "r")).records.filter(([kind]) => kind === 4);
  expect(failed).toHaveLength(2);
  for (const record of failed) expect(JSON.stringify(record[5])).toContain('"type":"TimeoutError"');
});

test("R06 a run timeout is per attempt: three attempts just under it all get their time", async () => {
  const clock = new VirtualClock();
  let tries = 0;
  const nearly = op(
    "nearly",
    { timeout: { run: 1_000 }, retry: { attempts: 3, initial: 1, jitter: "none", on: () => true } },
    async ({ n }: { n: number }) => {
      await clock.sleep(999);
      if (++tries < 3) throw new Error("again");
      return { n };
    },
  );
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: nearly({ n: input.n }).n }));
  const engine = await open({ clock });
  expect(await clock.until(engine.run(flow, { n: 1 }))).toEqual({ n: 1 });
  expect(clock.armed).toBe(0);
});

/** Yields after each of the waits in turn. */
function paced(clock: VirtualClock, waits: readonly number[]) {
  const ticks = op("ticks", { timeout: { idle: "1s" } }, async function* (_input: { n: number }) {
    for (const [k, ms] of waits.entries()) {
      await clock.sleep(ms);
      yield { k };
    }
  });
  return graph("flow", (input: Ref<{ n: number }>) => ({
    all: collect(ticks({ n: input.n }).k, { errors: "settle" }),
  }));
}

test("R06 the idle clock begins anew at each yield: a slow stream may take longer in all than its idle timeout", async () => {
  const clock = new VirtualClock();
  const engine = await open({ clock });
  const result = await clock.until((await engine.start(paced(clock, [900, 900, 900, 900]), { n: 1 })).result());
  expect(result.errors).toEqual([]);
  expect(clock.elapsed).toBe(3_600);
});

test("P1.5 a generator that stalls past its idle timeout: earlier items arrive, then a TimeoutError is recorded", async () => {
  const clock = new VirtualClock();
  const engine = await open({ clock });
  const result = await clock.until((await engine.start(paced(clock, [10, 10, 5_000, 10]), { n: 1 })).result());
  expect(clock.elapsed).toBe(1_020);
  expect(result).toMatchObject({
    output: {
      all: [
        { ok: true, value: 0 },
        { ok: true, value: 1 },
        { ok: false, error: { node: "ticks", type: "TimeoutError" } },
      ],
    },
    errors: [{ node: "ticks", type: "TimeoutError", count: 1 }],
  });
});

test("P1.5 R06 the idle clock stands still while the generator waits for its consumer", async () => {
  const clock = new VirtualClock();
  const ticks = op("ticks", { timeout: { idle: "1s" } }, async function* (_input: { n: number }) {
    for (let k = 0; k < 3; k++) yield { k };
  });
  const slow = op("slow", async ({ k }: { k: number }) => {
    await clock.sleep(10_000);
    return { k };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    all: collect(slow({ k: ticks({ n: input.n }).k }, { buffer: 1 }).k),
  }));
  const engine = await open({ clock });
  expect(await clock.until(engine.run(flow, { n: 1 }))).toEqual({ all: [0, 1, 2] });
});

test("H48 run and idle timeouts are ordinary failures: they are retried, and the crash behind any record changes nothing", async () => {
  const clock = new VirtualClock();
  const open1 = { clock };
  const slowOnce = op(
    "slowOnce",
    { timeout: { run: 100 }, retry: { attempts: 2, initial: 1_000, jitter: "none" } },
    async ({ n }: { n: number }, ctx) => {
      if (ctx.attempt === 1) await forever();
      return { n, attempt: ctx.attempt };
    },
  );
  const idleOnce = op(
    "idleOnce",
    { timeout: { idle: 100 }, retry: { attempts: 2, initial: 1_000, jitter: "none" } },
    async function* ({ n }: { n: number }, ctx) {
      if (ctx.attempt === 1) await forever();
      yield { n, attempt: ctx.attempt };
    },
  );
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    a: slowOnce({ n: input.n }).attempt,
    b: collect(idleOnce({ n: input.n }).attempt),
  }));
  const { result } = await clock.until(
    crashEverywhere(
      flow,
      { n: 1 },
      ({ result, cut }, { result: whole }) => {
        // Cuts before the first time-out run attempt 1 again, which uses no attempt.
        expect(result, `cut ${cut}`).toEqual(whole);
      },
      open1,
    ),
  );
  expect(result).toEqual({ status: "completed", output: { a: 2, b: [2] }, errors: [], cells: {} });
});

test("H50 the late result of a timed-out attempt is dropped: the second attempt's wins, and its effect is the only one", async () => {
  const clock = new VirtualClock();
  const late = gate();
  const slow = op(
    "slow",
    { timeout: { run: 100 }, retry: { attempts: 2, initial: 50, jitter: "none" } },
    async (_input: { n: number }, ctx) => {
      if (ctx.attempt === 1) await late.opened;
      else await clock.sleep(80);
      return { by: ctx.attempt };
    },
  );
  const used: number[] = [];
  const use = op("use", async ({ by }: { by: number }) => {
    used.push(by);
    return { by };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ by: use({ by: slow({ n: input.n }).by }).by }));
  const engine = await open({ clock });
  const handle = await engine.start(flow, { n: 1 });
  await clock.advance(160);
  late.open();
  expect(await clock.until(handle.result())).toEqual({ status: "completed", output: { by: 2 }, errors: [], cells: {} });
  expect(used).toEqual([2]);
});

test.each([
  ["settles late", 3_000, 3_000],
  ["never settles", Infinity, 5_100],
])(
  "H50 a timed-out body that %s keeps its permit until it settles, at most five seconds",
  async (_name, lasts, next) => {
    const clock = new VirtualClock();
    const began: Record<string, number> = {};
    const deaf = op("deaf", { timeout: { run: 100 } }, async ({ n }: { n: number }): Promise<{ n: number }> => {
      began[`deaf ${n}`] = clock.elapsed;
      await (lasts === Infinity ? forever() : clock.sleep(lasts));
      return { n };
    });
    const other = op("other", async ({ n }: { n: number }) => {
      began["other"] = clock.elapsed;
      return { n };
    });
    const flow = graph("flow", (input: Ref<{ n: number }>) => ({
      a: deaf({ n: input.n }),
      b: other({ n: input.n }).n,
    }));
    const engine = await open({ clock, concurrency: 1 });
    const result = clock.until((await engine.start(flow, { n: 1 })).result());
    expect((await result).errors).toMatchObject([{ node: "deaf", type: "TimeoutError" }]);
    expect(began).toEqual({ "deaf 1": 0, other: next });
  },
);

test("H50 permits come back: after many time-outs the cap is still exact", async () => {
  const clock = new VirtualClock();
  let active = 0;
  let most = 0;
  const body = op("body", { timeout: { run: 10 } }, async ({ n }: { n: number }) => {
    most = Math.max(most, ++active);
    await clock.sleep(n % 3 === 0 ? 25 : 5);
    active--;
    return { n };
  });
  const flow = graph("flow", (input: Ref<{ xs: number[] }>) => ({
    all: collect(body({ n: each(input.xs) }, { parallel: 50 }).n, { errors: "skip" }),
  }));
  const engine = await open({ clock, concurrency: 4 });
  const xs = Array.from({ length: 60 }, (_, i) => i);
  expect(await clock.until(engine.run(flow, { xs }))).toEqual({ all: xs.filter((n) => n % 3 !== 0) });
  expect(most).toBe(4);
});
