import { expect, test } from "vitest";
import {
  collect,
  derive,
  each,
  emit,
  fallback,
  final,
  graph,
  memory,
  op,
  race,
  reduce,
  sweep,
  type Backend,
  type EngineOptions,
  type Ref,
  type Reset,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { Client } from "./support/client.ts";
import { open as openPlain } from "./support/engines.ts";
import { forever, gate } from "./support/gate.ts";
import { fullHeap } from "./support/heap.ts";

const open = (options: EngineOptions = {}) => openPlain({ check: checkInvariants, ...options });
const backends = (): (Backend | undefined)[] => [undefined, memory()];

/** What the generator does before item `n` of attempt `attempt`. */
let before: (n: number, attempt: number) => Promise<void> | void = () => undefined;
let started = 0;
const tokens = op(
  "tokens",
  { onResume: "ephemeral", retry: { attempts: 3, initial: 1, on: () => true } },
  async function* ({ n }: { n: number }, ctx) {
    started++;
    for (let i = 0; i < n; i++) {
      await before(i, ctx.attempt);
      yield { text: `t${i} ` };
    }
    await before(n, ctx.attempt);
    return { usage: n };
  },
);
const upper = op("upper", { effect: "pure" }, async ({ text }: { text: string }) => ({ text: text.toUpperCase() }));
const chat = graph("chat", (input: Ref<{ n: number }>) => {
  const gen = tokens({ n: input.n });
  const loud = upper({ text: gen.text }, { parallel: 2 });
  emit("token", loud.text, { ordered: true });
  return {
    text: reduce("whole", loud.text, "", (all: string, next: string) => all + next),
    list: collect(gen.text),
    usage: final(gen).usage,
  };
});
const whole = { text: "T0 T1 T2 T3 ", list: ["t0 ", "t1 ", "t2 ", "t3 "], usage: 4 };

function quietly(): void {
  before = () => undefined;
  started = 0;
}

function breaksOnce(at: number): void {
  started = 0;
  before = (n, attempt) => {
    if (attempt === 1 && n === at) throw new Error("the line was cut");
  };
}

test("the items of an ephemeral generator are not recorded; what is made of them, and what it returned, is one record", async () => {
  quietly();
  for (const backend of backends()) {
    const engine = await open({ ...(backend && { backend }) });
    const handle = await engine.start(chat, { n: 4 }, { id: "r" });
    expect(await handle.output()).toEqual(whole);
    if (backend === undefined) continue;
    const history = await Array.fromAsync(engine.history("r"));
    expect(history.map(({ kind }) => kind)).toEqual(["started", "settled", "ended"]);
    expect(history[1]).toMatchObject({ node: "tokens", value: { usage: 4 } });
    expect((await engine.get("r"))?.finished).toEqual({ tokens: 1 });
  }
});

test("H79 an attempt that fails in the middle is tried again, and whoever reads along rebuilds the same text", async () => {
  for (const backend of backends()) {
    breaksOnce(3);
    const engine = await open({ ...(backend && { backend }) });
    const handle = await engine.start(chat, { n: 4 }, { id: "r" });
    const client = new Client().read(handle.stream("custom"));
    const items: unknown[] = [];
    const resets: Reset[] = [];
    expect(await handle.output()).toEqual(whole);
    expect(started).toBe(2);
    const { texts, resets: told, durable } = await client;
    expect([...texts]).toEqual([["chat/tokens", whole.text]]);
    expect(told).toEqual([undefined]);
    expect(new Set(durable)).toEqual(new Set([false]));
    expect([items, resets]).toEqual([[], []]);
  }
});

test("H79 task and update readers are told what is void as well, and a reader of the past is told the same of what is recorded", async () => {
  breaksOnce(2);
  const engine = await open({ backend: memory(), graphs: [chat] });
  const handle = await engine.start(chat, { n: 4 }, { id: "r" });
  const live = await Array.fromAsync(handle.stream(["tasks", "updates"]));
  const recorded = live.filter(
    (event) => event.durable === undefined && !("task" in event && event.task === "started"),
  );
  const past = await Array.fromAsync(await engine.stream("r", ["tasks", "updates"]));
  expect(past.filter((event) => !("task" in event && event.task === "started"))).toEqual(recorded);
  expect(recorded.filter((event) => event.reset === true).map(({ mode, path }) => [mode, path])).toEqual([
    ["tasks", "chat/tokens"],
    ["updates", "chat/tokens"],
  ]);
  const yields = live.flatMap((event) => ("task" in event && event.task === "yielded" ? [event] : []));
  expect(yields.map(({ attempt, index }) => [attempt, index])).toEqual([
    [1, 0],
    [1, 1],
    [2, 0],
    [2, 1],
    [2, 2],
    [2, 3],
  ]);
  expect(yields.every(({ of, durable }) => of === "chat/tokens" && durable === false)).toBe(true);
});

test("H79 P3.1 a process that dies in the middle: the next one begins anew, and a client that reads on rebuilds the same text", async () => {
  const store = memory();
  const reached = gate();
  started = 0;
  before = async (n) => {
    if (n !== 3) return;
    reached.open();
    await forever();
  };
  const first = await open({ backend: store });
  const lost = await first.start(chat, { n: 4 }, { id: "r" });
  lost.result().catch(() => undefined);
  const client = new Client();
  const reading = client.read(lost.stream("custom")).catch(() => undefined);
  await reached.opened;
  await new Promise((resolve) => setTimeout(resolve, 10));
  await store.abandon();
  await first.close();
  await reading;
  expect([...client.texts]).toEqual([["chat/tokens", "T0 T1 T2 "]]);
  before = () => new Promise((resolve) => setTimeout(resolve, 5));
  const second = await open({ backend: store.another(), graphs: [chat] });
  const [handle] = second.recovered;
  await client.read(handle!.stream("custom", { after: client.place }));
  expect([...client.texts]).toEqual([["chat/tokens", whole.text]]);
  expect(client.resets).toEqual([undefined]);
  expect(await handle!.output()).toEqual(whole);
  expect(started).toBe(2);
});

test("H11 one that is at work at three crashes in a row is not begun a fourth time, however far it came", async () => {
  let store = memory();
  started = 0;
  before = (n) => (n === 2 ? forever() : undefined);
  const first = await open({ backend: store });
  (await first.start(chat, { n: 4 }, { id: "r" })).result().catch(() => undefined);
  const dies = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    await store.abandon();
    store = store.another();
  };
  for (let i = 0; i < 2; i++) {
    await dies();
    const next = await open({ backend: store, graphs: [chat] });
    next.recovered[0]!.result().catch(() => undefined);
  }
  await dies();
  // It is held back after so many deaths, unless somebody asks for it.
  const last = await open({ backend: store, graphs: [chat] });
  const { status, errors } = await (await last.resume("r")).result();
  expect([status, errors[0]?.code]).toEqual(["failed", "CrashLoop"]);
  expect(started).toBe(3);
});

const streamed = graph("stream", (input: Ref<{ n: number }>) => ({ text: tokens({ n: input.n }).text }));

test("H79 items(key) says when what it gave is void and gives all again, or throws StreamReset where nobody listens", async () => {
  for (const backend of backends()) {
    breaksOnce(3);
    const engine = await open({ ...(backend && { backend }) });
    const handle = await engine.start(streamed, { n: 4 }, { id: "r" });
    let items: unknown[] = [];
    const resets: Reset[] = [];
    const onReset = (reset: Reset): void => {
      resets.push(reset);
      items = [];
    };
    const deaf = Array.fromAsync(handle.items("text")).catch((error: unknown) => error);
    for await (const item of handle.items("text", { onReset })) items.push(item);
    expect(items).toEqual(whole.list);
    expect(resets).toEqual([{ node: "tokens", path: "stream/tokens" }]);
    expect(await deaf).toMatchObject({
      code: "StreamReset",
      message: expect.stringContaining("stream/tokens") as string,
    });
    expect(await handle.output()).toEqual({ text: whole.list });
    expect(await Array.fromAsync(handle.items("text"))).toEqual(whole.list);
  }
});

test("items of a run that another process began are given from its end as well", async () => {
  quietly();
  const store = memory();
  const engine = await open({ backend: store });
  let hangs = true;
  const slow = op("slow", async ({ n }: { n: number }) => {
    if (hangs) await forever();
    return { n };
  });
  const flow = graph("wait", (input: Ref<{ n: number }>) => {
    const gen = tokens({ n: input.n });
    return { text: gen.text, slow: slow({ n: final(gen).usage }).n };
  });
  (await engine.start(flow, { n: 4 }, { id: "r" })).result().catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await store.abandon();
  hangs = false;
  const next = await open({ backend: store.another(), graphs: [flow] });
  expect(await Array.fromAsync(next.recovered[0]!.items("text"))).toEqual(whole.list);
});

test("H79 who comes in the middle is told nothing of the attempt under way, and what is kept in the end", async () => {
  const middle = gate();
  const goOn = gate();
  started = 0;
  before = async (n) => {
    if (n !== 2) return;
    middle.open();
    await goOn.opened;
  };
  const engine = await open({ backend: memory() });
  const handle = await engine.start(chat, { n: 4 }, { id: "r" });
  await middle.opened;
  const late = Array.fromAsync(handle.stream(["custom", "updates"]));
  await new Promise((resolve) => setTimeout(resolve, 10));
  goOn.open();
  const events = await late;
  expect(events.filter(({ durable }) => durable === false)).toEqual([]);
  expect(events.map(({ node, value }) => [node, value])).toEqual([
    ["tokens", { usage: 4 }],
    ["whole", whole.text],
  ]);
});

test("H79 a reader without room for what no journal has is told that it is void", async () => {
  quietly();
  for (const backend of backends()) {
    const engine = await open({ ...(backend && { backend }) });
    const handle = await engine.start(chat, { n: 400 }, { id: "r" });
    const reading = handle.stream("custom", { buffer: 10 });
    const client = new Client();
    await handle.result();
    await client.read(reading);
    expect(client.resets).toEqual([false]);
    expect([...client.texts]).toEqual([]);
  }
});

test("a generator that fails for good takes its items with it: its collects fail, or have that alone", async () => {
  started = 0;
  before = (n) => {
    if (n === 2) throw new Error("gone");
  };
  const told = graph("told", (input: Ref<{ n: number }>) => ({
    list: collect(tokens({ n: input.n }).text, { errors: "settle" }),
  }));
  for (const backend of backends()) {
    const engine = await open({ ...(backend && { backend }) });
    const { status, errors } = await (await engine.start(chat, { n: 4 })).result();
    expect([status, errors]).toMatchObject(["failed", [{ node: "tokens", attempts: 3, count: 1 }]]);
    expect(await engine.run(told, { n: 4 })).toMatchObject({ list: [{ ok: false, error: { node: "tokens" } }] });
  }
});

const picky = op("picky", { effect: "pure" }, ({ text }: { text: string }) => {
  if (text === "t1 ") throw new Error("no t1");
  return { text };
});

test("failures among the items are counted when these are through, and collects take them as they say", async () => {
  quietly();
  const flow = graph("flow", (input: Ref<{ n: number }>) => {
    const { text } = picky({ text: tokens({ n: input.n }).text });
    return { left: collect(text, { errors: "skip" }), all: collect(text, { errors: "settle" }) };
  });
  for (const backend of backends()) {
    const engine = await open({ ...(backend && { backend }) });
    const handle = await engine.start(flow, { n: 3 });
    const { errors } = await handle.result();
    expect(await handle.output()).toMatchObject({
      left: ["t0 ", "t2 "],
      all: [{ ok: true }, { ok: false }, { ok: true }],
    });
    expect(errors).toMatchObject([{ node: "picky", count: 1, handled: true }]);
  }
});

test("a failure among the items that ends the run, or the body of a fallback, does so at once", async () => {
  const engine = await open({ backend: memory() });
  started = 0;
  before = (n) => (n === 3 ? forever() : undefined);
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    all: collect(picky({ text: tokens({ n: input.n }).text }).text),
  }));
  const raised = await (await engine.start(flow, { n: 9 }, { id: "raised", errors: "raise" })).result();
  expect([raised.status, raised.errors]).toMatchObject(["failed", [{ node: "picky" }]]);
  expect((await Array.fromAsync(engine.history("raised"))).map(({ kind }) => kind)).toEqual([
    "started",
    "brokenOff",
    "ended",
  ]);
  const safe = graph("safe", (input: Ref<{ n: number }>) =>
    fallback(
      "try",
      () => ({ text: derive(collect(picky({ text: tokens({ n: input.n }).text }).text), (list) => list.join("")) }),
      ({ node }) => ({ text: node }),
    ),
  );
  expect(await engine.run(safe, { n: 9 })).toEqual({ text: "try/body/picky" });
});

test("a sweep leaves nothing of it: as if it had yielded nothing; so does a race that it loses", async () => {
  started = 0;
  before = (n) => (n === 3 ? forever() : undefined);
  const enough = op("enough", async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { yes: true, n: 1 };
  });
  const swept = graph("swept", (input: Ref<{ n: number }>) => {
    const gen = tokens({ n: input.n });
    emit("token", gen.text);
    const stopped = sweep("stop", { on: enough({}).yes, cancel: [gen.text] });
    return { list: collect(gen.text), stopped };
  });
  const lost = graph("lost", (input: Ref<{ n: number }>) =>
    race("first", {
      slow: () => ({ n: derive(collect(tokens({ n: input.n }).text), (list) => list.length) }),
      quick: () => ({ n: enough({}).n }),
    }),
  );
  for (const backend of backends()) {
    const engine = await open({ ...(backend && { backend }) });
    const handle = await engine.start(swept, { n: 9 });
    const client = new Client().read(handle.stream("custom"));
    expect(await handle.output()).toEqual({ list: [], stopped: 1 });
    expect([...(await client).texts]).toEqual([]);
    expect((await client).resets).toEqual([undefined]);
    expect(await engine.run(lost, { n: 9 })).toEqual({ n: 1 });
  }
});

test("a race that it wins is recorded with what was made of it", async () => {
  quietly();
  const never = op("never", async (): Promise<{ text: string }> => forever());
  const flow = graph("flow", (input: Ref<{ n: number }>) =>
    race("first", {
      one: () => ({ text: reduce("all", tokens({ n: input.n }).text, "", (all: string, next: string) => all + next) }),
      never: () => ({ text: never({}).text }),
    }),
  );
  const engine = await open({ backend: memory() });
  expect(await engine.run(flow, { n: 2 }, { id: "r" })).toEqual({ text: "t0 t1 " });
  expect((await Array.fromAsync(engine.history("r"))).map(({ kind }) => kind)).toEqual([
    "started",
    "settled",
    "decision",
    "ended",
  ]);
});

test("a cancel and a drain in the middle: nothing of it is kept, and a resumed run begins it anew", async () => {
  const store = memory();
  const reached = gate();
  started = 0;
  before = async (n) => {
    if (n !== 2) return;
    reached.open();
    await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const engine = await open({ backend: store });
  const handle = await engine.start(chat, { n: 4 }, { id: "r" });
  await reached.opened;
  expect((await handle.drain()).status).toBe("drained");
  expect((await Array.fromAsync(engine.history("r"))).map(({ kind }) => kind)).toEqual([
    "started",
    "drainRequested",
    "ended",
  ]);
  expect(await (await engine.resume("r")).output()).toEqual(whole);
  expect(started).toBe(2);
  const cancelled = await engine.start(chat, { n: 4 }, { id: "c" });
  await new Promise((resolve) => setTimeout(resolve, 2));
  expect((await cancelled.cancel("enough")).status).toBe("cancelled");
});

test("what cannot be kept of it is the generator's failure, and names where", async () => {
  quietly();
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    list: collect(derive(tokens({ n: input.n }).text, () => () => 1)),
  }));
  const engine = await open({ backend: memory() });
  const { status, errors } = await (await engine.start(flow as never, { n: 2 })).result();
  expect([status, errors[0]?.node]).toEqual(["failed", "tokens"]);
  expect(errors[0]?.message).toMatch(/what was made of its items/);
});

test("H59 100,000 items of an ephemeral stream leave nothing, neither in the heap nor in the journal", async () => {
  const sizes: number[] = [];
  const many = op("many", { onResume: "ephemeral" }, async function* ({ n }: { n: number }) {
    for (let k = 0; k < n; k++) {
      if (k % 20_000 === 19_999) sizes.push(fullHeap());
      yield { k, text: "x".repeat(200) + String(k) };
    }
  });
  const work = op("work", { effect: "pure" }, async ({ k }: { k: number }) => ({ k }));
  const flow = graph("flow", (input: Ref<{ n: number }>) => {
    const { k } = work({ k: many({ n: input.n }).k }, { parallel: 64, buffer: 128 });
    emit("k", k);
    return { all: reduce("all", k, 0, (a: number, b: number) => a + b) };
  });
  const engine = await openPlain({ backend: memory() });
  const n = 100_000;
  expect(await engine.run(flow, { n }, { id: "r" })).toEqual({ all: (n * (n - 1)) / 2 });
  const [, second = 0, ...rest] = sizes;
  expect(Math.max(...rest.map((size) => size - second)) / 2 ** 20).toBeLessThan(2);
  expect(await Array.fromAsync(engine.history("r"))).toHaveLength(3);
});

test("R15 a fork keeps what was made of it, begins it anew where something before it or in it is different, and gives no items", async () => {
  quietly();
  const style = op("style", async () => ({ mark: "!" }));
  const decorate = op("decorate", { effect: "pure" }, ({ text, mark }: { text: string; mark: string }) => ({
    text: text + mark,
  }));
  const flow = graph("flow", (input: Ref<{ n: number }>) => {
    const { mark } = style({});
    const { text } = decorate({ text: tokens({ n: input.n }).text, mark });
    const all = reduce("all", text, "", (sum: string, next: string) => sum + next);
    return { all, twice: upper({ text: all }).text };
  });
  const engine = await open({ backend: memory(), graphs: [flow] });
  await engine.run(flow, { n: 2 }, { id: "r" });
  expect(started).toBe(1);
  const kept = await engine.fork("r", { rerun: ["upper"] });
  expect(await kept.output()).toEqual({ all: "t0 !t1 !", twice: "T0 !T1 !" });
  expect(started).toBe(1);
  const other = await engine.fork("r", { patch: { outputs: { style: { mark: "?" } } } });
  expect(await other.output()).toEqual({ all: "t0 ?t1 ?", twice: "T0 ?T1 ?" });
  expect(started).toBe(2);
  for (const options of [
    { patch: { outputs: { tokens: [{ text: "a" }] } } },
    { patch: { outputs: { "flow/tokens[0]/decorate": { text: "a" } } } },
    { rerun: ["flow/tokens[0]/decorate"] },
  ])
    await expect(engine.fork("r", options)).rejects.toMatchObject({ code: "NoSuchNode" });
  expect(await (await engine.fork("r", { rerun: ["tokens"] })).output()).toEqual({
    all: "t0 !t1 !",
    twice: "T0 !T1 !",
  });
  expect(started).toBe(3);
});

test("R27 in another version of the graph what was made is found by what it is made of, and what is new in it is refused by name", async () => {
  quietly();
  const store = memory();
  let hangs = true;
  const last = op("last", async ({ n }: { n: number }) => {
    if (hangs) await forever();
    return { n };
  });
  type Order = "ab" | "ba" | "abc";
  const make = (order: Order, from?: string) =>
    graph("flow", { ...(from !== undefined && { migrate: [{ from }] }) }, (input: Ref<{ n: number }>) => {
      const gen = tokens({ n: input.n });
      const a = () => reduce("a", gen.text, "", (all: string, next: string) => all + next);
      const b = () => collect(gen.text);
      const parts = order === "ba" ? { b: b(), a: a() } : { a: a(), b: b() };
      const more = order === "abc" ? { c: collect(derive(gen.text, (text) => text.length)) } : {};
      return { ...parts, ...more, n: last({ n: final(gen).usage }).n };
    });
  const old = make("ab");
  const engine = await open({ backend: store });
  (await engine.start(old, { n: 2 }, { id: "r" })).result().catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 15));
  await engine.close();
  hangs = false;
  const more = await open({ backend: store.another(), graphs: [make("abc", old.plan.fingerprint)] });
  await expect(more.resume("r")).rejects.toMatchObject({
    code: "JournalMismatch",
    message: expect.stringMatching(/items of "tokens" were not recorded/) as string,
  });
  await more.close();
  const next = await open({ backend: store.another(), graphs: [make("ba", old.plan.fingerprint)] });
  expect(await next.recovered[0]!.output()).toEqual({ a: "t0 t1 ", b: ["t0 ", "t1 "], n: 2 });
});

test("an ephemeral generator per item of a list, at once and in order, each with a region of its own", async () => {
  quietly();
  const flow = graph("flow", (input: Ref<{ ns: number[] }>) => {
    const gen = tokens({ n: each(input.ns) }, { parallel: 2 });
    return { texts: collect(reduce("all", gen.text, "", (all: string, next: string) => all + next)) };
  });
  for (const backend of backends()) {
    const engine = await open({ ...(backend && { backend }) });
    expect(await engine.run(flow, { ns: [1, 0, 3] })).toEqual({ texts: ["t0 ", "", "t0 t1 t2 "] });
  }
});
