import { expect, test } from "vitest";
import { z } from "zod";
import {
  collect,
  derive,
  each,
  emit,
  graph,
  interrupt,
  memory,
  op,
  reduce,
  when,
  zip,
  type MillraceError,
  type Ref,
  type RunStream,
  type StreamEvent,
  type TaskEvent,
} from "../../src/index.ts";
import { VirtualClock } from "./support/clock.ts";
import { open } from "./support/engines.ts";
import { Faulty } from "./support/faulty.ts";
import { eventually, forever, gate } from "./support/gate.ts";
import { crashedBehind, recordingOf } from "./support/journal.ts";

async function all<E>(stream: AsyncIterable<E>): Promise<E[]> {
  const events: E[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

function briefTask(event: TaskEvent): string {
  const { node, task } = event;
  if (task === "started" || task === "finished") return `${node} ${task} ${event.attempt}`;
  if (task === "failed") return `${node} failed ${event.attempt}${event.retrying ? " retrying" : ""}`;
  if (task === "yielded") return `${node} yielded ${event.index}`;
  return task === "skipped" ? `${node} skipped because ${event.because}` : `${node} ${task}`;
}

/** An event in a few words. */
function brief(event: StreamEvent): string {
  if (event.mode === "tasks") return briefTask(event);
  if (event.mode === "updates") return `${event.node} = ${JSON.stringify(event.value)}`;
  if (event.mode === "values") return `values ${JSON.stringify(event.values)}`;
  if (event.mode === "custom") return `custom ${JSON.stringify(event.value)}`;
  if (event.mode === "interrupts") return `${event.interrupt} ${event.id}`;
  if ("result" in event) return `result ${event.result.status}`;
  return `output ${event.key}: ${JSON.stringify(event.value)}`;
}

const list = op("list", async function* ({ n }: { n: number }) {
  for (let k = 0; k < n; k++) {
    await new Promise((resolve) => setImmediate(resolve));
    yield { k };
  }
});
const twice = op("twice", async ({ k }: { k: number }) => ({ k: k * 2 }));
const sum = op("sum", ({ ks }: { ks: number[] }) => ({ total: ks.reduce((a, b) => a + b, 0) }));
const pipeline = graph("pipeline", (input: Ref<{ n: number }>) => {
  const { k } = twice({ k: list({ n: input.n }).k });
  return { k, total: sum({ ks: collect(k) }).total };
});

for (const [where, backend] of [
  ["without a backend", () => undefined],
  ["with one", memory],
] as const) {
  test(`P2.4 the tasks of a retried op are started, failed and retrying, started, finished, ${where}`, async () => {
    const clock = new VirtualClock();
    const store = backend();
    const engine = await open({ clock, ...(store !== undefined && { backend: store }) });
    let calls = 0;
    const flaky = op("flaky", { retry: { attempts: 3, initial: 10, on: () => true } }, async () => {
      if (++calls < 3) throw new TypeError(`no ${calls}`);
      return { calls };
    });
    const handle = await engine.start(flaky, {});
    const events = await clock.until(all(handle.stream("tasks")));
    expect(events.map(brief)).toEqual([
      "flaky started 1",
      "flaky failed 1 retrying",
      "flaky started 2",
      "flaky failed 2 retrying",
      "flaky started 3",
      "flaky finished 3",
    ]);
    expect(events[1]).toMatchObject({ path: "flaky/flaky", type: "TypeError", message: "no 1" });
    const { retryAt } = events[1] as { retryAt: number };
    expect(retryAt).toBeGreaterThan(clock.start);
  });

  test(`R16 several modes arrive in the order of their events, from one run, ${where}`, async () => {
    const store = backend();
    const engine = await open({ ...(store !== undefined && { backend: store }) });
    const talking = graph("talking", (input: Ref<{ n: number }>) => {
      emit("progress", { percent: 50 });
      const sure = interrupt("ask", "sure?", { answer: z.boolean(), timeout: 5, default: true });
      return { ...pipeline({ n: input.n }), sure };
    });
    const handle = await engine.start(talking, { n: 1 });
    const events = await all(handle.stream(["updates", "tasks", "custom", "interrupts", "output", "values"]));
    const words = events.map(brief);
    expect(words.filter((word) => /^(custom|asked|answered|defaulted)/.test(word))).toEqual([
      'custom {"percent":50}',
      expect.stringMatching(/^asked [0-9a-f]{32}$/),
      expect.stringMatching(/^defaulted [0-9a-f]{32}$/),
    ]);
    for (const [first, second] of [
      ["pipeline/twice started 1", 'pipeline/twice = {"k":0}'],
      ['pipeline/twice = {"k":0}', "pipeline/twice finished 1"],
      ["pipeline/list finished 1", "pipeline/sum started 1"],
      ["pipeline/sum finished 1", "output total: 0"],
      ["output total: 0", "result completed"],
    ] as const) {
      expect(words, `${first} | ${second}`).toContain(first);
      expect(words.indexOf(first)).toBeLessThan(words.indexOf(second));
    }
    expect(words.at(-1)).toBe("result completed");
    // Whichever came first, the timer or the list.
    expect(events.findLast(({ mode }) => mode === "values")).toMatchObject({
      values: { k: [0], total: 0, sure: true },
    });
    const places = events.map(({ seq }) => seq);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(new Set(events.map(({ seq, part }) => `${seq}.${part}`)).size).toBeGreaterThan(8);
  });

  test(`F07 handle.items gives every item once, in yield order, while the run goes on, ${where}`, async () => {
    const store = backend();
    const engine = await open({ ...(store !== undefined && { backend: store }) });
    const handle = await engine.start(pipeline, { n: 100 });
    const seen: number[] = [];
    let early = 0;
    void handle.result().then(() => (early = seen.length));
    for await (const k of handle.items("k")) seen.push(k);
    const expected = Array.from({ length: 100 }, (_, k) => k * 2);
    expect(seen).toEqual(expected);
    const result = await handle.result();
    expect(result).toMatchObject({ status: "completed", output: { k: expected } });
    expect(early).toBeGreaterThan(90);
    // A reader that comes after the end gets the same.
    expect(await all(handle.items("k"))).toEqual(expected);
  });

  test(`F03 result, streams and items settle within a second of a cancel, ${where}`, async () => {
    const store = backend();
    const engine = await open({ ...(store !== undefined && { backend: store }) });
    const stuck = graph("stuck", (input: Ref<{ n: number }>) => {
      const { k } = list({ n: input.n });
      return { k, never: op("never", () => forever())({}, { after: [k] }) };
    });
    const handle = await engine.start(stuck, { n: 3 });
    const k: number[] = [];
    const items = (async () => {
      for await (const item of handle.items("k")) k.push(item);
    })();
    const waiting = op("waiting", (): Promise<{ xs: number[] }> => forever());
    const other = await engine.start(
      graph("other", () => ({ x: each(waiting({}).xs) })),
      {},
    );
    const stream = all(handle.stream(["tasks", "output"]));
    const gone = other.items("x").next();
    await eventually("the items are there", () => k.length === 3);
    await items;
    const since = performance.now();
    void handle.cancel("enough");
    void other.cancel("enough");
    expect(await handle.result()).toMatchObject({ status: "cancelled", reason: "enough" });
    expect((await stream).map(brief).at(-1)).toBe("result cancelled");
    await expect(gone).rejects.toMatchObject({ code: "RunCancelled" });
    expect(performance.now() - since).toBeLessThan(1_000);
  });
}

test("P3.8a nothing of a stream is shown before its record is durable", async () => {
  const door = gate();
  const backend = new Faulty(memory());
  const engine = await open({ backend });
  const a = op("a", async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return { x: 1 };
  });
  const one = graph("one", (input: Ref<{ ns: number[] }>) => ({ x: a({}).x, all: each(input.ns) }));
  const handle = await engine.start(one, { ns: [1, 2] }, { id: "r" });
  backend.faults = { before: () => door.opened };
  const seen: string[] = [];
  const tooEarly: StreamEvent[] = [];
  const reading = (async () => {
    for await (const event of handle.stream(["updates", "output"])) {
      if (event.seq > backend.recordsOf("r").length) tooEarly.push(event);
      seen.push(brief(event));
    }
  })();
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  expect(backend.appends).toHaveLength(1);
  expect(seen).toEqual(["output all: [1,2]"]);
  door.open();
  await reading;
  expect(seen).toEqual(["output all: [1,2]", 'a = {"x":1}', "output x: 1", "result completed"]);
  expect(tooEarly).toEqual([]);
});

test("items fail after the others when one failed, and an item that is filtered is left out", async () => {
  const engine = await open();
  const picky = op("picky", async ({ k }: { k: number }) => {
    if (k === 2) throw new RangeError("not two");
    return { k };
  });
  const flow = graph("flow", (input: Ref<{ ks: number[] }>) => ({
    k: picky({ k: each(input.ks) }, { parallel: 4 }).k,
  }));
  const handle = await engine.start(flow, { ks: [0, 1, 2, 3] });
  const seen: number[] = [];
  const error = await (async () => {
    for await (const k of handle.items("k")) seen.push(k);
    return undefined;
  })().catch((thrown: unknown) => thrown as MillraceError);
  expect(seen).toEqual([0, 1, 3]);
  expect(error).toMatchObject({ code: "OpFailed", message: expect.stringContaining("flow/input.ks[2]/picky") });
  expect(await handle.result()).toMatchObject({ status: "failed" });
});

test("items of a stream of streams are the inner lists, an output that is a stream has no key, others are refused", async () => {
  const engine = await open();
  const nested = graph("nested", (input: Ref<{ ns: number[] }>) => ({
    k: list({ n: each(input.ns) }).k,
    whole: collect(list({ n: 1 }, { name: "other" }).k),
  }));
  const handle = await engine.start(nested, { ns: [2, 0, 1] });
  expect(await all(handle.items("k"))).toEqual([[0, 1], [], [0]]);
  expect(() => (handle.items as (key: string) => unknown)("kk")).toThrow(/has no stream "kk"[^]*did you mean "k"/);
  const bare = await engine.start(list, { n: 3 });
  const items: RunStream<{ k: number }> = bare.items();
  expect(await all(items)).toEqual([{ k: 0 }, { k: 1 }, { k: 2 }]);
  expect(() => (handle.items as () => unknown)()).toThrow(/as a whole is no stream/);
});

test("items of streams that leave a block or are zipped come once each, while they go on", async () => {
  const engine = await open({ backend: memory() });
  const blocks = graph("blocks", (input: Ref<{ n: number; go: boolean }>) => {
    const arm = when(
      "arm",
      input.go,
      () => list({ n: input.n }),
      () => list({ n: 1 }, { name: "one" }),
    );
    const pair = zip(
      { a: list({ n: input.n }, { name: "left" }).k, b: list({ n: input.n }, { name: "right" }).k },
      { name: "pair" },
    );
    return { arm: arm.k, both: twice({ k: pair.a }, { name: "both" }).k };
  });
  const handle = await engine.start(blocks, { n: 4, go: true });
  const [arm, both] = await Promise.all([all(handle.items("arm")), all(handle.items("both"))]);
  expect(arm).toEqual([0, 1, 2, 3]);
  expect(both).toEqual([0, 2, 4, 6]);
  expect(await handle.result()).toMatchObject({ status: "completed", output: { arm, both } });
});

test("a reader that is slower than a run without a backend is told what it lost", async () => {
  const engine = await open();
  const handle = await engine.start(pipeline, { n: 50 });
  const stream = handle.stream("tasks", { buffer: 10 });
  await handle.result();
  const seen: StreamEvent[] = [];
  const error = await (async () => {
    for await (const event of stream) seen.push(event);
    return undefined;
  })().catch((thrown: unknown) => thrown as MillraceError);
  expect(seen).toHaveLength(10);
  expect(error).toMatchObject({ code: "StreamOverflow", message: expect.stringMatching(/what happened from \d+ on/) });
});

test("H80 a reader that is slower than a run with a backend reads on from the journal and misses nothing", async () => {
  const engine = await open({ backend: memory() });
  const handle = await engine.start(pipeline, { n: 200 });
  const fast = all(handle.stream(["tasks", "updates", "output", "values"]));
  const slow = handle.stream(["tasks", "updates", "output", "values"], { buffer: 5 });
  const seen: StreamEvent[] = [];
  for await (const event of slow) {
    seen.push(event);
    if (seen.length % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const others = (await fast).map(brief);
  const started = (word: string): boolean => / started /.test(word);
  const words = seen.map(brief);
  expect(words.filter((word) => !started(word))).toEqual(others.filter((word) => !started(word)));
  expect(words.filter(started).toSorted()).toEqual(others.filter(started).toSorted());
});

test("H78 readings cut anywhere and taken up behind their last event join to the whole", async () => {
  const backend = memory();
  const engine = await open({ backend, graphs: [pipeline] });
  const handle = await engine.start(pipeline, { n: 6 }, { id: "r" });
  const modes = ["updates", "output", "custom"] as const;
  const whole = await all(handle.stream(modes));
  for (let cut = 1; cut < whole.length; cut++) {
    const first = whole.slice(0, cut);
    const rest = await all(await engine.stream("r", modes, { after: first.at(-1)! }));
    expect([...first, ...rest]).toEqual(whole);
  }
  // By number only: what is behind all events of it.
  const behind = await all(await engine.stream("r", "updates", { after: 3 }));
  expect(behind).toEqual(
    whole.filter(({ mode, seq }) => mode === "updates" && seq > 3).map((e) => expect.objectContaining({ seq: e.seq })),
  );
});

test("a run that another process began is read from its first event on, also by items", async () => {
  const backend = memory();
  const engine = await open({ backend });
  await (await engine.start(pipeline, { n: 4 }, { id: "r" })).result();
  const recording = await recordingOf(backend, "r");
  const dead = await crashedBehind(recording, 5);
  const next = await open({ backend: dead, graphs: [pipeline] });
  const handle = next.recovered[0]!;
  const items = all(handle.items("k"));
  const words = (await all(handle.stream(["tasks", "output"]))).map(brief);
  expect(await items).toEqual([0, 2, 4, 6]);
  expect(words.filter((word) => word === "list yielded 0")).toHaveLength(1);
  expect(words.at(-1)).toBe("result completed");
  expect(words[0]).toBe("list started 1");
});

test("a reader that comes between two attempts is given each start once", async () => {
  const clock = new VirtualClock();
  const engine = await open({ clock, backend: memory() });
  let calls = 0;
  const flaky = op("flaky", { retry: { attempts: 2, initial: 50, on: () => true } }, async () => {
    if (++calls < 2) throw new Error("no");
    return { calls };
  });
  const handle = await engine.start(flaky, {});
  await clock.advance(10);
  expect(calls).toBe(1);
  const events = await clock.until(all(handle.stream("tasks")));
  expect(events.map(brief)).toEqual([
    "flaky started 1",
    "flaky failed 1 retrying",
    "flaky started 2",
    "flaky finished 2",
  ]);
});

test("F03 readers of a run that its engine loses are told so, after what was durable", async () => {
  const backend = new Faulty(memory());
  const engine = await open({ backend });
  const handle = await engine.start(pipeline, { n: 30 });
  const seen: StreamEvent[] = [];
  const reading = (async () => {
    for await (const event of handle.stream("tasks")) {
      seen.push(event);
      if (event.task === "yielded" && event.index === 5)
        backend.faults = { before: () => Promise.reject(new Error("the disk is gone")) };
    }
  })();
  const items = all(handle.items("k"));
  await expect(reading).rejects.toThrow("the disk is gone");
  await expect(items).rejects.toThrow("the disk is gone");
  await expect(handle.stream("updates").next()).rejects.toThrow("the disk is gone");
  expect(seen.every(({ seq }) => seq <= backend.recordsOf(handle.runId).length)).toBe(true);
});

test("leaving the loop leaves the run alone, and with cancelOnBreak it cancels it", async () => {
  const engine = await open({ backend: memory() });
  for (const cancelOnBreak of [false, true]) {
    const handle = await engine.start(pipeline, { n: 20 });
    for await (const event of handle.stream("tasks", { cancelOnBreak })) if (event.task === "yielded") break;
    expect(await handle.result()).toMatchObject({ status: cancelOnBreak ? "cancelled" : "completed" });
  }
});

test("a stream is also a web stream, and cancelling that is leaving the loop", async () => {
  const engine = await open();
  const handle = await engine.start(pipeline, { n: 2 });
  const words: string[] = [];
  for await (const event of handle.stream(["output"]).toReadable()) words.push(brief(event));
  expect(words).toEqual(["output k: [0,2]", "output total: 2", "result completed"]);
  const other = await engine.start(pipeline, { n: 20 });
  const reader = other.stream("tasks", { cancelOnBreak: true }).toReadable().getReader();
  expect((await reader.read()).value).toMatchObject({ task: "started" });
  await reader.cancel();
  expect(await other.result()).toMatchObject({ status: "cancelled" });
});

test("skipped tasks name the failure behind them, and a closed engine ends its readers", async () => {
  const engine = await open();
  const bad = op("bad", async (): Promise<{ x: number }> => {
    throw new Error("bad");
  });
  const mid = op("mid", ({ x }: { x: number }) => ({ x }));
  const flow = graph("flow", () => ({ x: mid({ x: derive(mid({ x: bad({}).x }, { name: "first" }).x, (x) => x) }).x }));
  const handle = await engine.start(flow, {});
  const events = await all(handle.stream("tasks"));
  expect(events.map(brief)).toEqual([
    "bad started 1",
    "bad failed 1",
    "first skipped because bad",
    "mid skipped because bad",
  ]);
  expect(events.at(-1)).toMatchObject({ at: "flow/bad" });
  const open2 = await open();
  const waiting = await open2.start(
    op("waiting", () => forever()),
    {},
  );
  const next = waiting.stream("output").next();
  await new Promise((resolve) => setImmediate(resolve));
  await open2.close();
  await expect(next).rejects.toMatchObject({ code: "EngineClosed" });
});

test("what the first step resolves is read too, and modes and options are checked", async () => {
  const engine = await open();
  const folds = graph("folds", (input: Ref<{ xs: number[] }>) => ({
    sum: reduce("sum", each(input.xs), 0, (a, b) => a + b),
    xs: each(input.xs),
  }));
  const handle = await engine.start(folds, { xs: [1, 2, 3] });
  expect((await all(handle.stream(["updates", "output"]))).map(brief)).toEqual([
    "sum = 6",
    "output sum: 6",
    "output xs: [1,2,3]",
    "result completed",
  ]);
  expect(await all(handle.items("xs"))).toEqual([1, 2, 3]);
  expect(() => handle.stream("task" as "tasks")).toThrow(/no stream mode "task"; did you mean "tasks"/);
  expect(() => handle.stream("tasks", { bufer: 1 } as object)).toThrow(/did you mean "buffer"/);
  expect(() => handle.stream("tasks", { buffer: 0 })).toThrow(/at least 1/);
  await expect(engine.stream("nobody", "tasks")).rejects.toMatchObject({ code: "RunNotFound" });
});
