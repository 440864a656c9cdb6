import { expect, test } from "vitest";
import { collect, each, graph, memory, op, provide, race, resource, type Ref } from "../../src/index.ts";
import { turns, VirtualClock } from "./support/clock.ts";
import { afterCrash, crashEverywhere, open, undisturbed } from "./support/engines.ts";
import { forever } from "./support/gate.ts";

const always = { attempts: 100, initial: 1_000, factor: 1, jitter: "none", on: () => true } as const;

/** An op that fails after a while, as long as it is tried. */
function failing(first: VirtualClock, total: number, lasts = 0) {
  let clock = first;
  const nextLife = (later: VirtualClock): void => {
    clock = later;
    attempts.length = 0;
  };
  const attempts: { attempt: number; at: number; left: number }[] = [];
  const call = op("call", { retry: always, timeout: { total } }, async ({ n }: { n: number }, ctx) => {
    attempts.push({ attempt: ctx.attempt, at: clock.elapsed, left: (ctx.deadline ?? 0) - clock.now() });
    await clock.sleep(lasts);
    throw new Error(`attempt ${ctx.attempt} of ${n}`);
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: call({ n: input.n }) }));
  return { attempts, flow, nextLife };
}

test("H48 attempts and the waits between them end with the total: the last error is the op's, at once", async () => {
  const clock = new VirtualClock();
  const { attempts, flow } = failing(clock, 3_500, 100);
  const engine = await open({ clock });
  const result = await clock.until((await engine.start(flow, { n: 1 })).result());
  expect(attempts).toEqual([
    { attempt: 1, at: 0, left: 3_500 },
    { attempt: 2, at: 1_100, left: 2_400 },
    { attempt: 3, at: 2_200, left: 1_300 },
    { attempt: 4, at: 3_300, left: 200 },
  ]);
  // The fifth would begin at 4.4 s: nobody waits for it.
  expect(clock.elapsed).toBe(3_400);
  expect(result).toMatchObject({ status: "failed", errors: [{ attempts: 4, message: "attempt 4 of 1" }] });
  expect(clock.armed).toBe(0);
});

test("H48 an attempt that is under way when the total is over is aborted, and not tried again", async () => {
  const clock = new VirtualClock();
  const notes: string[] = [];
  const slow = op(
    "slow",
    { retry: always, timeout: { run: 2_000, total: 5_000 } },
    async ({ n }: { n: number }, ctx) => {
      ctx.signal.addEventListener("abort", () => notes.push(`aborted ${ctx.attempt} at ${clock.elapsed}`));
      notes.push(`started ${ctx.attempt}, due in ${(ctx.deadline ?? 0) - clock.now()}`);
      await forever();
      return { n };
    },
  );
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: slow({ n: input.n }).n }));
  const engine = await open({ clock });
  const result = await clock.until((await engine.start(flow, { n: 1 })).result());
  expect(notes).toEqual(["started 1, due in 2000", "aborted 1 at 2000", "started 2, due in 2000", "aborted 2 at 5000"]);
  expect(result).toMatchObject({
    status: "failed",
    errors: [{ code: "Timeout", attempts: 2, message: expect.stringContaining("no result within 5000 ms") as string }],
  });
});

test("an op that is done in time leaves no timer, with total alone and beside other limits", async () => {
  const clock = new VirtualClock();
  const timely = op("timely", { timeout: { total: "1h" } }, async ({ n }: { n: number }) => {
    await clock.sleep(10);
    return { n };
  });
  const items = op("items", { timeout: { idle: "1m", total: "1h" } }, async function* ({ n }: { n: number }) {
    yield { n };
  });
  const flow = graph("flow", (input: Ref<{ ns: number[] }>) => ({
    all: collect(timely({ n: each(input.ns) }, { parallel: 9 }).n),
    items: collect(items({ n: 1 }).n),
  }));
  for (const options of [{}, { backend: memory() }]) {
    const engine = await open({ ...options, clock });
    expect(await clock.until(engine.run(flow, { ns: [1, 2, 3] }))).toEqual({ all: [1, 2, 3], items: [1] });
    expect(clock.armed).toBe(0);
  }
});

test("H48 the total is a moment: a crash behind any record neither shortens nor restarts it", async () => {
  const clock = new VirtualClock();
  const { attempts, flow, nextLife } = failing(clock, 3_500, 100);
  const { recording } = await clock.until(undisturbed(flow, { n: 1 }, { clock }));
  const kinds = recording.records.map(([kind]) => kind);
  expect(kinds).toEqual([0, 16, 4, 4, 4, 4, 9]);
  expect(recording.records[1]).toEqual([16, 1, 0, clock.start + 3_500]);
  // Down for a second behind each of the records that set or know of the deadline.
  for (const [cut, down, expected] of [
    [2, 1_000, [1_000, 2_100, 3_200]],
    [3, 1_000, [1_100, 2_200, 3_300]],
    [4, 2_500, [2_500]],
  ] as const) {
    const later = new VirtualClock(clock.start + down);
    nextLife(later);
    const result = await later.until(afterCrash(recording, cut, flow, { clock: later }));
    const starts = attempts.map(({ left }) => 3_500 - left);
    expect(starts, `cut ${cut}`).toEqual(expected);
    expect(result.status).toBe("failed");
  }
});

test("H48 a run that is resumed when the total is over fails the op without running it again", async () => {
  const clock = new VirtualClock();
  const { attempts, flow, nextLife } = failing(clock, 3_500, 100);
  const { recording } = await clock.until(undisturbed(flow, { n: 1 }, { clock }));
  const later = new VirtualClock(clock.start + 60_000);
  nextLife(later);
  const result = await later.until(afterCrash(recording, 2, flow, { clock: later }));
  expect(attempts).toEqual([]);
  expect(result).toMatchObject({ status: "failed", errors: [{ code: "Timeout" }] });
  expect(later.elapsed).toBe(0);
});

test("R11 a run with total timeouts ends alike after a crash behind any record", async () => {
  const clock = new VirtualClock();
  const shaky = op("shaky", { retry: always, timeout: { total: "1h" } }, async ({ n }: { n: number }, ctx) => {
    if (ctx.attempt < 3) throw new Error("again");
    return { n, attempt: ctx.attempt };
  });
  const flow = graph("flow", (input: Ref<{ ns: number[] }>) => ({
    all: collect(shaky({ n: each(input.ns) }, { parallel: 2 }).attempt),
  }));
  await clock.until(
    crashEverywhere(
      flow,
      { ns: [1, 2] },
      ({ result, cut }, whole) => expect(result, `cut ${cut}`).toEqual(whole.result),
      { clock },
    ),
  );
});

test("the total runs also while the op waits for a resource, a permit or its consumers", async () => {
  const Chat = resource<string>("chat");
  const started: string[] = [];
  const clock = new VirtualClock();
  const body = async ({ n }: { n: number }): Promise<{ n: number }> => {
    started.push(`at ${clock.elapsed}`);
    await clock.sleep(10_000);
    return { n };
  };
  const hold = op("hold", { needs: { it: Chat } }, body);
  const queued = op("queued", { needs: { it: Chat }, timeout: { total: 2_000 } }, body);
  const capped = op("capped", { timeout: { total: 3_000 } }, body);
  const source = op("source", { timeout: { total: 4_000 } }, async function* ({ n }: { n: number }) {
    for (let i = 0; ; i++) yield { n: n + i };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    held: hold({ n: input.n }).n,
    queued: queued({ n: input.n }).n,
    capped: capped({ n: input.n }).n,
    source: collect(hold({ n: source({ n: input.n }).n }, { name: "use", buffer: 1 }).n, { errors: "skip" }),
  }));
  const resources = [provide(Chat, "chat", { limits: { concurrency: 1 } })];
  const engine = await open({ clock, runConcurrency: 1, resources });
  const handle = await engine.start(flow, { n: 1 });
  const result = await clock.until(handle.result());
  expect(result.errors.map(({ node, code }) => `${node} ${code}`)).toEqual([
    "queued Timeout",
    "capped Timeout",
    "source Timeout",
  ]);
  // hold, and the one item that the source had yielded.
  expect(started).toEqual(["at 0", "at 10000"]);
  expect(clock.armed).toBe(0);
});

test("an op that is swept takes its total with it; cancelled and drained runs keep no timer", async () => {
  const clock = new VirtualClock();
  const slow = op("slow", { timeout: { total: "1d" } }, async ({ n }: { n: number }) => {
    await clock.sleep(100);
    return { n };
  });
  const fast = op("fast", async ({ n }: { n: number }) => {
    await clock.sleep(1);
    return { n };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    n: race("won", { slow: () => slow({ n: input.n }), fast: () => fast({ n: input.n }) }).n,
  }));
  const engine = await open({ clock });
  expect(await clock.until(engine.run(flow, { n: 1 }))).toEqual({ n: 1 });
  await clock.advance(100);
  expect(clock.armed).toBe(0);
  const cancelled = await engine.start(slow, { n: 1 });
  await turns();
  await cancelled.cancel();
  await clock.advance(100);
  expect(clock.armed).toBe(0);
});

test("timeout.total is merged field by field, and is refused where nothing could be interrupted", () => {
  const call = op("call", { timeout: { run: 10, total: "1m" } }, async (_input: object) => ({}));
  const plan = graph("g", () => [call({}), call({}, { name: "other", timeout: { total: "2m" } })]).plan;
  expect(plan.findings).toEqual([]);
  expect(() => op("inline", { timeout: { total: "1m" } }, () => ({}))).toThrow("its body is a plain function");
  expect(() => op("wrong", { timeout: { total: "soon" as never } }, async () => ({}))).toThrow(
    "timeout.total of op wrong",
  );
});
