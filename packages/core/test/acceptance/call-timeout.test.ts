/** `timeout.total` of a call of a graph; what is left of it after a crash is in call-timeout-recovery.test.ts. */
import { expect, test } from "vitest";
import { z } from "zod";
import {
  collect,
  derive,
  each,
  fallback,
  graph,
  loop,
  memory,
  memoryTraces,
  op,
  race,
  reduce,
  resource,
  provide,
  when,
  type Ref,
  type TaskEvent,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { VirtualClock } from "./support/clock.ts";
import { open } from "./support/engines.ts";
import { stage, timeout } from "./support/stage.ts";

test("a call that is not through in time fails: what runs is aborted, what reads it is skipped because of it", async () => {
  const { state, notes, wait, tell } = stage();
  const { clock } = state;
  const pair = graph("pair", (input: Ref<{ ms: number }>) => {
    const fast = wait({ id: "fast", ms: 1_000 }, { name: "fast" });
    const slow = wait({ id: "slow", ms: input.ms }, { name: "slow" });
    return { fast: fast.id, slow: slow.id, late: tell({ id: slow.id }).told };
  });
  const flow = graph("flow", (input: Ref<{ ms: number }>) => {
    const both = pair({ ms: input.ms }, timeout("1m"));
    return {
      fast: tell({ id: both.fast }, { name: "tellFast" }).told,
      slow: tell({ id: both.slow }, { name: "tellSlow" }).told,
    };
  });
  const engine = await open({ clock, check: checkInvariants });
  const handle = await engine.start(flow, { ms: 3_600_000 });
  const settled: TaskEvent[] = [];
  const events = (async () => {
    for await (const event of handle.stream(["tasks"])) settled.push(event);
  })();
  const result = await clock.until(handle.result());
  await events;
  expect(notes).toEqual([
    "slow starts at 0",
    "fast starts at 0",
    "fast ends at 1000",
    // Outputs leave one by one, as they resolve.
    "told fast at 1000",
    "slow aborted at 60000",
  ]);
  expect(result).toMatchObject({
    status: "failed",
    errors: [
      {
        node: "pair",
        path: "flow/pair",
        code: "Timeout",
        message: 'graph "pair" did not end within 1 m',
        attempts: 1,
        count: 1,
        handled: false,
      },
    ],
  });
  expect(result.errors).toHaveLength(1);
  expect(clock.elapsed).toBe(60_000);
  const told = settled.filter(({ node }) => node === "pair" || node === "tellSlow");
  expect(told).toMatchObject([{ node: "tellSlow", task: "skipped", because: "pair", at: "flow/pair" }]);
});

test("a call that is through in time leaves no timer, and nothing of it to see", async () => {
  const { state, wait } = stage();
  const { clock } = state;
  const quick = graph("quick", (input: Ref<{ id: string }>) => wait({ id: input.id, ms: 10 }).id);
  const inline = graph("inline", (input: Ref<{ id: string }>) => derive(input.id, (id) => `${id}!`));
  const flow = graph("flow", (input: Ref<{ id: string }>) => ({
    a: quick({ id: input.id }, timeout("1h")),
    b: inline({ id: input.id }, timeout("1h")),
  }));
  for (const backend of [undefined, memory()]) {
    const engine = await open({ clock, check: checkInvariants, ...(backend && { backend }) });
    const before = clock.elapsed;
    const result = await clock.until((await engine.start(flow, { id: "x" })).result());
    expect(result).toMatchObject({ status: "completed", output: { a: "x", b: "x!" }, errors: [] });
    expect([clock.elapsed - before, clock.armed]).toEqual([10, 0]);
  }
});

test("the clock starts when the call is taken up: its input and its after are there", async () => {
  const { state, notes, wait, tell } = stage();
  const { clock } = state;
  const inner = graph("inner", (input: Ref<{ id: string }>) => {
    tell({ id: "taken up" });
    return wait({ id: input.id, ms: 5_000 }, { name: "work" }).id;
  });
  const flow = graph("flow", () => {
    const before = wait({ id: "before", ms: 30_000 }, { name: "before" });
    const gate = wait({ id: "gate", ms: 40_000 }, { name: "gate" });
    return { x: inner({ id: before.id }, { ...timeout(6_000), after: [gate] }) };
  });
  const engine = await open({ clock, check: checkInvariants });
  expect(await clock.until(engine.run(flow, {}))).toEqual({ x: "before" });
  expect(notes).toContain("told taken up at 40000");
  expect(clock.elapsed).toBe(45_000);
});

test("a fallback around the call catches it like any failure, with what it was called with", async () => {
  const { state, notes, wait } = stage();
  const { clock } = state;
  const slow = graph("slow", (input: Ref<{ id: string }>) => ({ id: wait({ id: input.id, ms: 90_000 }).id }));
  const flow = graph("flow", (input: Ref<{ id: string }>) => {
    const got = fallback(
      "got",
      () => slow({ id: input.id }, timeout(1_500)),
      (error) => ({
        id: derive(error, ({ node, path, code, message, input: given }) =>
          JSON.stringify([node, path, code, message, given]),
        ),
      }),
    );
    return { id: got.id };
  });
  const engine = await open({ clock, check: checkInvariants });
  const result = await clock.until((await engine.start(flow, { id: "x" })).result());
  expect(result.status === "completed" && JSON.parse(result.output.id)).toEqual([
    "got/body/slow",
    "flow/got/body/slow",
    "Timeout",
    'graph "got/body/slow" did not end within 1500 ms',
    { id: "x" },
  ]);
  expect(result.errors).toMatchObject([{ node: "got/body/slow", code: "Timeout", handled: true, count: 1 }]);
  expect(notes).toEqual(["x starts at 0", "x aborted at 1500"]);
});

test("an unsafe body in it is awaited, and what it gives goes nowhere; the handler runs when it is through", async () => {
  const { state, notes, charge, wait, tell } = stage();
  const paying = graph("paying", (input: Ref<{ id: string }>) => {
    const paid = charge({ id: "unsafe", ms: 10_000 });
    wait({ id: input.id, ms: 20_000 });
    return { paid: tell({ id: paid.id }).told };
  });
  const flow = graph("flow", (input: Ref<{ id: string }>) => {
    const got = fallback(
      "got",
      () => paying({ id: input.id }, timeout(4_000)),
      () => ({ paid: tell({ id: "instead" }).told }),
    );
    return { paid: got.paid };
  });
  for (const backend of [undefined, memory()]) {
    notes.length = 0;
    state.clock = new VirtualClock();
    const engine = await open({ clock: state.clock, check: checkInvariants, ...(backend && { backend }) });
    expect(await state.clock.until(engine.run(flow, { id: "x" }))).toEqual({ paid: "instead" });
    expect(notes).toEqual([
      "x starts at 0",
      "unsafe starts at 0",
      "x aborted at 4000",
      "unsafe ends at 10000",
      "told instead at 10000",
    ]);
  }
  // Without a fallback the run waits for it too.
  notes.length = 0;
  const bare = graph("bare", (input: Ref<{ id: string }>) => ({ paid: paying({ id: input.id }, timeout(4_000)).paid }));
  state.clock = new VirtualClock();
  const engine = await open({ clock: state.clock, check: checkInvariants });
  const result = await state.clock.until((await engine.start(bare, { id: "x" })).result());
  expect(result).toMatchObject({ status: "failed", errors: [{ node: "paying", code: "Timeout" }] });
  expect(notes.at(-1)).toBe("unsafe ends at 10000");
  expect(state.clock.elapsed).toBe(10_000);
});

test("per item every call has its own clock", async () => {
  const { state, notes, wait } = stage();
  const { clock } = state;
  const one = graph("one", (input: Ref<{ id: string; ms: number }>) => {
    const first = wait({ id: input.id, ms: input.ms }, { name: "first" });
    return { id: wait({ id: first.id, ms: 100 }, { name: "second" }).id };
  });
  type Row = { id: string; ms: number };
  const flow = graph("flow", (input: Ref<{ rows: Row[] }>) => {
    const row = each(input.rows);
    const got = one({ id: row.id, ms: row.ms }, { parallel: 3, ...timeout(1_000) });
    return {
      ids: collect(got.id, { errors: "settle" }),
      count: reduce("count", got.id, 0, (n) => n + 1, { errors: "skip" }),
    };
  });
  const engine = await open({ clock, check: checkInvariants });
  const rows = [
    { id: "a", ms: 200 },
    { id: "b", ms: 5_000 },
    { id: "c", ms: 300 },
  ];
  const result = await clock.until((await engine.start(flow, { rows })).result());
  expect(result).toMatchObject({
    status: "completed",
    output: {
      ids: [
        { ok: true, value: "a" },
        { ok: false, error: { node: "one", path: "flow/input.rows[1]/one", code: "Timeout" } },
        { ok: true, value: "c" },
      ],
      count: 2,
    },
    errors: [{ node: "one", count: 1, handled: true }],
  });
  expect(notes.filter((text) => text.includes("aborted"))).toEqual(["b aborted at 1000"]);
  await clock.advance(10_000); // The aborted body takes its time.
  expect(clock.armed).toBe(0);
});

test("the smaller of nested totals wins; the outer one ends what is inside with it", async () => {
  const { state, notes, wait } = stage();
  const inner = graph("inner", (input: Ref<{ ms: number }>) => ({ id: wait({ id: "w", ms: input.ms }).id }));
  const outer = (name: string, total: number) =>
    graph(name, (input: Ref<{ ms: number }>) => ({ id: inner({ ms: input.ms }, timeout(total)).id }));
  const small = outer("small", 1_000);
  const large = outer("large", 9_000);
  const flow = graph("flow", (input: Ref<{ ms: number }>) => ({
    a: fallback(
      "a",
      () => small({ ms: input.ms }, timeout(3_000)),
      (error) => ({ id: error.path }),
    ).id,
    b: fallback(
      "b",
      () => large({ ms: input.ms }, timeout(3_000)),
      (error) => ({ id: error.path }),
    ).id,
  }));
  const { clock } = state;
  const engine = await open({ clock, check: checkInvariants });
  const result = await clock.until((await engine.start(flow, { ms: 60_000 })).result());
  expect(result).toMatchObject({
    status: "completed",
    output: { a: "flow/a/body/small/inner", b: "flow/b/body/large" },
  });
  expect(result.errors.map(({ node, code }) => [node, code])).toEqual([
    ["a/body/small/inner", "Timeout"],
    ["a/body/small", "SubgraphFailed"],
    ["b/body/large", "Timeout"],
  ]);
  expect(notes.filter((text) => text.includes("aborted"))).toEqual(["w aborted at 1000", "w aborted at 3000"]);
});

test("a list that is returned leaves part by part, streams among it", async () => {
  const { state, wait, tell } = stage();
  const { clock } = state;
  const parts = graph("parts", (input: Ref<{ ids: string[] }>) => [
    wait({ id: "first", ms: 10 }, { name: "first" }).id,
    wait({ id: each(input.ids), ms: 5 }, { name: "item" }).id,
    input.ids,
  ]);
  const flow = graph("flow", (input: Ref<{ ids: string[] }>) => {
    const got = parts({ ids: input.ids }, timeout("1h")) as unknown as Readonly<Record<number, Ref<string>>>;
    return { first: tell({ id: got[0]! }).told, items: collect(got[1] as never), ids: got[2] };
  });
  const engine = await open({ clock, check: checkInvariants });
  expect(await clock.until(engine.run(flow, { ids: ["a", "b"] }))).toEqual({
    first: "first",
    items: ["a", "b"],
    ids: ["a", "b"],
  });
});

test("a stream that leaves the call is live, and ends as failed when the call is over", async () => {
  const { state, notes, note } = stage();
  const ticks = op("ticks", async function* ({ from }: { from: number }, ctx) {
    ctx.signal.addEventListener("abort", () => note("ticks aborted"));
    for (let n = from; n < 9; n++) {
      yield { n };
      await state.clock.sleep(1_000);
    }
  });
  const see = op("see", ({ n }: { n: number }) => {
    note(`saw ${n}`);
    return { n };
  });
  const source = graph("source", (input: Ref<{ from: number }>) => {
    const tick = ticks({ from: input.from });
    return { n: tick.n, end: "constant", last: collect(tick.n) };
  });
  const flow = graph("flow", (input: Ref<{ from: number }>) => {
    const got = source({ from: input.from }, timeout(2_500));
    return { ns: collect(see({ n: got.n }).n, { errors: "settle" }), end: got.end };
  });
  const failed = graph("failed", (input: Ref<{ from: number }>) => ({
    n: source({ from: input.from }, timeout(2_500)).n,
  }));
  const { clock } = state;
  const engine = await open({ clock, check: checkInvariants });
  const result = await clock.until((await engine.start(flow, { from: 0 })).result());
  expect(notes).toEqual(["saw 0 at 0", "saw 1 at 1000", "saw 2 at 2000", "ticks aborted at 2500"]);
  expect(result).toMatchObject({
    status: "completed",
    output: {
      ns: [
        { ok: true, value: 0 },
        { ok: true, value: 1 },
        { ok: true, value: 2 },
        { ok: false, error: { node: "source", code: "Timeout" } },
      ],
      end: "constant",
    },
  });
  // In time it is the whole stream.
  expect(await clock.until(engine.run(flow, { from: 7 }))).toEqual({
    ns: [
      { ok: true, value: 7 },
      { ok: true, value: 8 },
    ],
    end: "constant",
  });
  state.clock = new VirtualClock();
  const other = await open({ clock: state.clock, check: checkInvariants, backend: memory() });
  const handle = await other.start(failed, { from: 0 });
  const items: unknown[] = [];
  const reading = (async () => {
    for await (const item of handle.items("n")) items.push(item);
  })();
  const caught = reading.catch((error: unknown) => error);
  expect(await state.clock.until(handle.result())).toMatchObject({
    status: "failed",
    errors: [{ node: "source", code: "Timeout", handled: false, count: 1 }],
  });
  expect(await caught).toMatchObject({ message: expect.stringContaining("did not end within 2500 ms") as string });
  expect(items).toEqual([0, 1, 2]);
});

test("in a loop every iteration has its own clock, in an arm only the one that is taken; a race loses the late one", async () => {
  const { state, notes, wait } = stage();
  const { clock } = state;
  const work = graph("work", (input: Ref<{ id: string; ms: number }>) => ({
    id: wait({ id: input.id, ms: input.ms }).id,
  }));
  const flow = graph("flow", (input: Ref<{ yes: boolean }>) => {
    const turns = loop("turns", { max: 5 }, { n: 0 }, (now) => {
      const done = work({ id: "turn", ms: 800 }, timeout(1_000));
      const n = derive([now.n, done.id], ([before]) => before + 1);
      return { next: { n }, until: derive(n, (x) => x >= 3), result: { n } };
    });
    const arm = when(
      "arm",
      input.yes,
      () => work({ id: "yes", ms: 10 }, timeout(1_000)),
      () => work({ id: "no", ms: 10 }, timeout(1_000)),
    );
    const won = race("won", {
      late: () => work({ id: "late", ms: 9_000 }, timeout(1_000)),
      early: () => work({ id: "early", ms: 1_500 }, timeout(2_000)),
    });
    return { n: turns.n, arm: arm.id, won: won.id };
  });
  const engine = await open({ clock, check: checkInvariants });
  const result = await clock.until((await engine.start(flow, { yes: true })).result());
  expect(result).toMatchObject({ status: "completed", output: { n: 3, arm: "yes", won: "early" } });
  expect(result.errors).toMatchObject([{ node: "won/late/work", code: "Timeout", handled: true }]);
  expect(notes.filter((text) => text.includes("aborted"))).toEqual(["late aborted at 1000"]);
});

test("bindings, schemas and results that are spread are as in any other call", async () => {
  const Word = resource<string>("word");
  const Other = resource<string>("other");
  const say = op("say", { needs: { word: Word } }, async ({ id }: { id: string }, ctx) => ({
    said: `${ctx.resources.word} ${id}`,
  }));
  const strict = graph("strict", { input: z.object({ id: z.string().default("nobody") }) }, (input) => {
    const it = say({ id: input.id });
    return { it, said: it.said, same: input.id, deep: { list: [it.said, input.id] } };
  });
  const flow = graph("flow", (input: Ref<{ id: string }>) => {
    const a = strict({}, { name: "a", ...timeout("1h") });
    const b = strict({ id: input.id }, { name: "b", bind: [Word.to(Other)], ...timeout("1h") });
    const whole = { ...a };
    return { a: whole.said, same: whole.same, b: b.it.said, list: b.deep.list };
  });
  const engine = await open({ check: checkInvariants, resources: [provide(Word, "hi"), provide(Other, "ho")] });
  expect(await engine.run(flow, { id: "me" })).toEqual({
    a: "hi nobody",
    same: "nobody",
    b: "ho me",
    list: ["ho me", "me"],
  });
});

test("an item whose call waits behind others may still be dropped, and its clock goes with it", async () => {
  const { state, notes, wait, tell } = stage();
  const { clock } = state;
  const burst = op("burst", async function* ({ to }: { to: number }) {
    for (let n = 0; n < to; n++) yield { id: `i${n}` };
  });
  const one = graph("one", (input: Ref<{ id: string }>) => wait({ id: input.id, ms: 1_000 }).id);
  const flow = graph("flow", (input: Ref<{ to: number }>) => {
    const { id } = burst({ to: input.to });
    const got = one({ id }, timeout(60_000));
    return { ids: collect(tell({ id: got }, { onFull: "dropOldest", buffer: 2 }).told) };
  });
  const engine = await open({ clock, check: checkInvariants });
  // The first is at work, and of the others the newest pushed out the one before.
  expect(await clock.until(engine.run(flow, { to: 6 }))).toEqual({ ids: ["i0", "i5"] });
  expect(notes).toEqual([
    "i0 starts at 0",
    "i0 ends at 1000",
    "i5 starts at 1000",
    "told i0 at 1000",
    "i5 ends at 2000",
    "told i5 at 2000",
  ]);
  expect(clock.armed).toBe(0);
});

test("traces tell of the call: through, or failed for its time", async () => {
  const { state, wait } = stage();
  const { clock } = state;
  const inner = graph("inner", (input: Ref<{ ms: number }>) => ({ id: wait({ id: "w", ms: input.ms }).id }));
  const flow = graph("flow", (input: Ref<{ ms: number }>) => ({ id: inner({ ms: input.ms }, timeout(1_000)).id }));
  const traces = memoryTraces();
  const engine = await open({ clock, traces: { sinks: [traces] } });
  for (const ms of [10, 5_000]) await clock.until((await engine.start(flow, { ms }, { id: `ms${ms}` })).result());
  const told = ["ms10", "ms5000"]
    .flatMap((id) => traces.trace(id)?.invocations ?? [])
    .map(({ runId, path, kind, status, error }) => [runId, path, kind, status, error?.code]);
  expect(told).toContainEqual(["ms10", "flow/inner", "bounded", "finished", undefined]);
  expect(told).toContainEqual(["ms5000", "flow/inner", "bounded", "failed", "Timeout"]);
  expect(told).toContainEqual(["ms5000", "flow/inner/wait", "op", "swept", undefined]);
});
