/**
 * A run that was put aside belongs to whoever goes on with it. The handle of the engine that put it aside said `interrupted`
 * for ever, its signal kept a listener, and an engine that was opened without graphs never took its own runs up again.
 */
import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { z } from "zod";
import { graph, interrupt, memory, op, type Backend, type Engine, type Handle } from "../../src/index.ts";
import { ParkedRuns } from "../../src/engine/parked-runs.ts";
import { planOf } from "../../src/build/plan-of.ts";
import type { MemoryBackend } from "../../src/backends/memory.ts";
import { systemClock } from "../../src/ports/system.ts";
import { Deadlines } from "../../src/runtime/deadlines.ts";
import type { Host } from "../../src/runtime/host.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually } from "../acceptance/support/eventually.ts";
import { gate, type Gate } from "../acceptance/support/gate.ts";
import { fullHeap } from "../acceptance/support/heap.ts";

const answer = z.number();
/** One question. */
const ask = graph("ask", () => ({ said: interrupt("q", {}, { answer }) }));
/** Two questions, one after the other, with some work between them. */
function twice(door: Gate = gate()) {
  const work = op("work", { async: true }, async ({ n }: { n: number }) => (await door.opened, { n }));
  const flow = graph("twice", () => {
    const first = interrupt("first", {}, { answer });
    return { said: interrupt("second", { n: work({ n: first }).n }, { answer }) };
  });
  return { flow, door };
}

/** Faster than the system's, for what an engine does seldom. */
const hasty = { ...systemClock, monotonic: () => performance.now() * 10_000 };

interface Parted {
  readonly store: MemoryBackend;
  readonly starter: Engine;
  readonly handle: Handle<{ readonly said: number }>;
  readonly other: Engine;
}

/** A run that one engine put aside, and that another one can go on with. */
async function parted(flow: typeof ask, start: Partial<Parameters<Engine["start"]>[2]> = {}): Promise<Parted> {
  const store = memory();
  const starter = await open({ backend: store, graphs: [flow], recover: false, poll: 5, clock: hasty });
  const handle = await starter.start(flow, {}, { id: "r", ...start });
  expect(await handle.result()).toMatchObject({ status: "interrupted" });
  const other = await open({ backend: store.another(), graphs: [flow], poll: 5 });
  return { store, starter, handle, other };
}

test("the handle of a run that was answered and came to its end elsewhere has its outcome", async () => {
  const { handle, other } = await parted(ask);
  await (await other.answer("r", "q", 7)).result();
  expect(await handle.output()).toEqual({ said: 7 });
  expect(await handle.result()).toMatchObject({ status: "completed", output: { said: 7 } });
  expect(handle.interrupts()).toEqual([]);
  expect(await handle.cancel()).toMatchObject({ status: "completed" });
  expect(await handle.drain()).toMatchObject({ status: "completed" });
  await expect(handle.answer("q", 8)).rejects.toMatchObject({ code: "RunEnded" });
});

test("it waits for one that is at work elsewhere, and asks what is asked next", async () => {
  const { flow, door } = twice();
  const { handle, other } = await parted(flow);
  await other.answer("r", "first", 1);
  let settled = false;
  const result = handle.result().finally(() => (settled = true));
  await new Promise((done) => setTimeout(done, 50));
  expect(settled).toBe(false);
  door.open();
  expect(await result).toMatchObject({ status: "interrupted", interrupts: [{ node: "second" }] });
  expect(handle.interrupts()).toMatchObject([{ node: "second", payload: { n: 1 } }]);
  await handle.answer("second", 2);
  expect(await handle.output()).toEqual({ said: 2 });
});

test.each(["cancel", "drain"] as const)(
  "what is asked of it reaches one that is at work elsewhere: %s",
  async (what) => {
    const { flow, door } = twice();
    const { handle, other } = await parted(flow);
    const theirs = await other.answer("r", "first", 1);
    const asked = handle[what]();
    if (what === "drain") setTimeout(() => door.open(), 50);
    expect(await asked).toMatchObject({ status: what === "cancel" ? "cancelled" : "drained" });
    expect(await theirs.result()).toMatchObject({ status: what === "cancel" ? "cancelled" : "drained" });
  },
);

test("of an engine that was closed it says what it knew", async () => {
  const { starter, handle, other } = await parted(ask);
  await starter.close();
  await (await other.answer("r", "q", 7)).result();
  expect(await handle.result()).toMatchObject({ status: "interrupted" });
});

test("an engine without graphs takes a run up again that it put aside and that was answered from afar", async () => {
  const store = memory();
  const starter = await open({ backend: store, poll: 5 });
  const handle = await starter.start(ask, {}, { id: "r" });
  await handle.result();
  const web = await open({ backend: store.another() });
  await web.answer("r", "q", 7);
  expect(await handle.output()).toEqual({ said: 7 });
  expect(await web.get("r")).toMatchObject({ status: "completed", epoch: 2 });
});

test("nor is one of another version of a graph that it was opened with left alone; one that takes nothing over leaves it", async () => {
  const older = graph("ask", () => ({ said: interrupt("q", {}, { answer }), old: op("old", () => ({ n: 1 }))().n }));
  const store = memory();
  const starter = await open({ backend: store, graphs: [ask], poll: 5 });
  const handle = await starter.start(older, {}, { id: "r" });
  const idle = await open({ backend: store.another(), recover: false, poll: 5 });
  const left = await idle.start(ask, {}, { id: "left" });
  await Promise.all([handle.result(), left.result()]);
  const web = await open({ backend: store.another() });
  await web.answer("r", "q", 7);
  expect(await handle.output()).toEqual({ said: 7, old: 1 });
  await starter.close();
  await web.answer("left", "q", 7);
  await new Promise((done) => setTimeout(done, 60));
  expect(await web.get("left")).toMatchObject({ status: "queued" });
});

const many = Array.from({ length: 1_000 }, (_, i) => `r-${i}`);

async function answerAll(engine: Engine): Promise<void> {
  for (const id of many) await (await engine.answer(id, "q", 1)).result();
}

test.each([
  ["the engine that put them aside", true],
  ["another engine", false],
])("of a thousand runs that were put aside and ended in %s a signal keeps no listener", async (_who, own) => {
  const store = memory();
  const starter = await open({ backend: store, graphs: [ask], recover: own, poll: 5, clock: hasty });
  const { signal } = new AbortController();
  for (const id of many) await (await starter.start(ask, {}, { id, signal })).result();
  expect(getEventListeners(signal, "abort")).toHaveLength(1_000);
  await answerAll(own ? starter : await open({ backend: store.another(), graphs: [ask] }));
  await eventually(() => expect(getEventListeners(signal, "abort")).toHaveLength(0));
});

test("an engine that closes takes its listeners with it, also those of runs that rest", async () => {
  const { signal } = new AbortController();
  const { starter } = await parted(ask, { signal });
  await starter.close();
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("a signal ends a run that rests and whose handle nobody holds, wherever it goes on", async () => {
  const store = memory();
  const starter = await open({ backend: store, graphs: [ask], poll: 5 });
  const controller = new AbortController();
  const start = async (): Promise<WeakRef<object>> => {
    const handle = await starter.start(ask, {}, { id: "r", signal: controller.signal });
    await handle.result();
    return new WeakRef(handle);
  };
  const handle = await start();
  await eventually(() => {
    fullHeap();
    // Not of the run itself: what an assertion was told is kept with its error.
    expect(handle.deref() === undefined).toBe(true);
  });
  controller.abort(new Error("the user left"));
  await eventually(async () =>
    expect(await starter.get("r")).toMatchObject({ status: "cancelled", reason: "the user left" }),
  );
});

test("a thousand runs that ended elsewhere are forgotten, and those that rest are kept and not read all the time", async () => {
  const store = memory();
  const backend: Backend = store;
  await backend.open("a");
  const engine = await open({ backend: store.another(), graphs: [ask], recover: false });
  let now = 0;
  const clock = { ...systemClock, monotonic: () => now };
  const host = { clock, deadlines: new Deadlines(clock) } as unknown as Host;
  const parked = new ParkedRuns(host, () => Promise.reject(new Error("nothing is due")));
  const plan = planOf(ask);
  for (const id of [...many, "rests", "rests-too"]) {
    await (await engine.start(ask, {}, { id })).result();
    parked.add(id, plan, null, null);
  }
  await answerAll(engine);
  await parked.look(backend);
  expect(parked.size).toBe(1_002);
  now += 10_000;
  await parked.look(backend);
  expect(parked.size).toBe(2);
  expect([...parked.plans]).toEqual([plan]);
  let reads = 0;
  const counted = { get: (id: string) => (reads++, backend.get(id)) } as Backend;
  for (let i = 0; i < 100; i++) {
    now += 100;
    await parked.look(counted);
  }
  expect(reads).toBe(2);
  await engine.answer("rests", "q", 1);
  await engine.answer("rests-too", "q", 1);
  await eventually(async () => expect(await engine.list({ status: ["interrupted"] })).toEqual([]));
  now += 20_000;
  await parked.look(backend);
  expect([parked.size, [...parked.plans]]).toEqual([0, []]);
});
