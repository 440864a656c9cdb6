import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { graph, interrupt, memory, type Handle, type Ref, type StreamEvent } from "../../src/index.ts";
import { z } from "zod";
import type { MemoryBackend } from "../../src/backends/memory.ts";
import { WrappedBackend } from "../../src/backends/wrapped.ts";
import { sqlite } from "../../src/node/index.ts";
import { Child } from "./support/child.ts";
import { counting, pace, turning } from "./support/counting.ts";
import { open } from "./support/engines.ts";
import { folder } from "./support/files.ts";
import { allModes, readUntil, recordedOf } from "./support/follow.ts";
import { eventually, gate, type Gate } from "./support/gate.ts";

/** Counts what is asked of it. */
class Asked extends WrappedBackend {
  gets = 0;
  rows = 0;

  override get watchRun(): undefined {
    return undefined;
  }

  override get(runId: string): ReturnType<WrappedBackend["get"]> {
    this.gets++;
    return super.get(runId);
  }

  override async *read(runId: string, fromSeq?: number): ReturnType<WrappedBackend["read"]> {
    for await (const row of super.read(runId, fromSeq)) {
      this.rows++;
      yield row;
    }
  }
}

/** The counter stands still before each of these numbers until its door is opened. */
function doorsAt(...numbers: readonly number[]): ReadonlyMap<number, Gate> {
  const doors = new Map(numbers.map((n) => [n, gate()]));
  pace.wait = async (n) => doors.get(n)?.opened;
  onTestFinished(() => {
    for (const door of doors.values()) door.open();
    pace.wait = () => Promise.resolve();
  });
  return doors;
}

const asking = graph("asking", (_input: Ref<{}>) => ({ said: interrupt("sure", {}, { answer: z.string() }) }));

/** Whether it is over by now. */
async function closedIn(reading: Promise<unknown>): Promise<"over" | "open"> {
  return Promise.race([reading.then(() => "over" as const), Promise.resolve("open" as const)]);
}

async function driven(backend: MemoryBackend, to: number): Promise<Handle<unknown>> {
  const engine = await open({ backend, graphs: [counting] });
  return (await engine.start(counting, { to }, { id: "run" })) as Handle<unknown>;
}

function yieldedIn(events: readonly StreamEvent[]): number[] {
  return events.flatMap((event) => (event.mode === "tasks" && event.task === "yielded" ? [event.index + 1] : []));
}

test("who follows is told what comes before the run goes on, and ends with its result when it ends", async () => {
  const doors = doorsAt(3);
  const backend = memory();
  const handle = await driven(backend, 4);
  const other = await open({ backend: backend.another(), graphs: [counting], recover: false });
  const seen: StreamEvent[] = [];
  const reading = (async () => {
    for await (const event of await other.stream("run", ["tasks", "output"])) seen.push(event);
  })();
  await eventually("two items are told", () => yieldedIn(seen).length === 2);
  doors.get(3)!.open();
  await reading;
  expect(yieldedIn(seen)).toEqual([1, 2, 3, 4]);
  expect(seen.at(-1)).toMatchObject({ mode: "output", result: await handle.result() });
});

test("who follows is told on over the death of the owner and over its successor, each thing once", async () => {
  doorsAt(3);
  const backend = memory();
  await driven(backend, 5);
  const other = await open({ backend: backend.another(), graphs: [counting], recover: false });
  const seen: StreamEvent[] = [];
  const reading = (async () => {
    for await (const event of await other.stream("run", allModes)) seen.push(event);
  })();
  await eventually("two items are told", () => yieldedIn(seen).length === 2);
  await backend.abandon();
  pace.wait = () => Promise.resolve();
  const heir = await open({ backend: backend.another(), graphs: [counting] });
  const result = await heir.recovered[0]!.result();
  await reading;
  expect(yieldedIn(seen)).toEqual([1, 2, 3, 4, 5]);
  expect(seen.at(-1)).toMatchObject({ mode: "output", result });
  expect((await readUntil(heir, "run")).events).toEqual(seen);
});

test("in another process: killed in the middle, taken over here, and each item told once", async () => {
  const path = join(folder(), "runs.db");
  const child = new Child("count-and-hang", [path, "4", "3"]);
  await child.until("started");
  const other = await open({ backend: sqlite(path, { synchronous: "off" }), graphs: [counting], recover: false });
  const items: unknown[] = [];
  await expect(other.resume("run")).rejects.toMatchObject({ code: "RunElsewhere" });
  const reading = (async () => {
    for await (const event of await other.stream("run", "tasks")) items.push(...yieldedIn([event]));
  })();
  await eventually("two items are told", () => items.length === 2);
  await child.kill();
  const heir = await open({ backend: sqlite(path, { synchronous: "off" }), graphs: [counting] });
  await heir.recovered[0]!.result();
  await reading;
  expect(items).toEqual([1, 2, 3, 4]);
});

test("the handle of a run that another engine drives gives its result, its events and its items", async () => {
  const doors = doorsAt(3);
  const backend = memory();
  const handle = await driven(backend, 3);
  const other = await open({ backend: backend.another(), graphs: [counting], recover: false });
  const elsewhere = await other.handle("run");
  expect(() => elsewhere.items("none")).toThrow(expect.objectContaining({ code: "NoSuchStream" }));
  const twice = elsewhere.items("twice");
  expect([await twice.next(), await twice.next()].map(({ value }) => value)).toEqual([2, 4]);
  const events = elsewhere.stream(["updates"]);
  doors.get(3)!.open();
  expect([await twice.next(), await twice.next()].map(({ value }) => value)).toEqual([6, undefined]);
  expect(await elsewhere.result()).toEqual(await handle.result());
  expect((await Array.fromAsync(events)).filter(({ node }) => node === "double").length).toBe(3);
});

test("items of a run that is cancelled elsewhere end with that, after those that came before", async () => {
  doorsAt(2);
  const backend = memory();
  const handle = await driven(backend, 3);
  const other = await open({ backend: backend.another(), graphs: [counting], recover: false });
  const twice = (await other.handle("run")).items("twice");
  expect((await twice.next()).value).toBe(2);
  await handle.cancel("enough");
  await expect(twice.next()).rejects.toMatchObject({ code: "RunCancelled" });
});

test("a signal, a return and the close of its own engine end a following at once, and the run goes on", async () => {
  const doors = doorsAt(2);
  const backend = memory();
  const handle = await driven(backend, 2);
  const other = await open({ backend: backend.another(), graphs: [counting], recover: false });
  const stop = new AbortController();
  const signalled = readUntil(other, "run", { signal: stop.signal });
  const left = await other.stream("run", "tasks");
  const waiting = Array.fromAsync(left);
  const closed = readUntil(other, "run");
  await eventually("nothing more comes", async () => (await closedIn(closed)) === "open");
  stop.abort(new Error("the client left"));
  expect((await signalled).error).toMatchObject({ message: "the client left" });
  await left.return!();
  expect((await waiting).length).toBeGreaterThan(0);
  await other.close();
  expect((await closed).error).toMatchObject({ code: "EngineClosed" });
  doors.get(2)!.open();
  expect((await handle.result()).status).toBe("completed");
});

test("a signal ends the reading of a run that is driven here, and one that is aborted already begins none", async () => {
  const doors = doorsAt(1);
  const backend = memory();
  const engine = await open({ backend, graphs: [counting] });
  const handle = await engine.start(counting, { to: 1 }, { id: "run" });
  const stop = new AbortController();
  const reading = readUntil(engine, "run", { signal: stop.signal });
  stop.abort(new Error("enough"));
  expect((await reading).error).toMatchObject({ message: "enough" });
  expect((await readUntil(engine, "run", { signal: stop.signal })).events).toEqual([]);
  doors.get(1)!.open();
  expect((await handle.result()).status).toBe("completed");
});

test("leaving the loop cancels the run elsewhere only if that is asked for", async () => {
  doorsAt(2);
  const backend = memory();
  const handle = await driven(backend, 2);
  const other = await open({ backend: backend.another(), graphs: [counting], recover: false });
  for await (const _ of await other.stream("run", "tasks")) break;
  for await (const _ of await other.stream("run", "tasks", { cancelOnBreak: true })) break;
  expect(await handle.result()).toMatchObject({ status: "cancelled", reason: "its reader left" });
});

test("a row is read when its reader has had what is before it, and nothing is asked while nobody reads", async () => {
  const backend = memory();
  const handle = await driven(backend, 50);
  await handle.result();
  const asked = new Asked(backend.another());
  const other = await open({ backend: asked, graphs: [counting], recover: false });
  const stream = await other.stream("run", "tasks");
  const first = { ...(await stream.next()).value } as StreamEvent;
  const { rows, gets } = asked;
  expect(rows).toBeLessThan(5);
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  expect([asked.rows, asked.gets]).toEqual([rows, gets]);
  const rest = await Array.fromAsync(stream);
  expect(yieldedIn([first, ...(rest as StreamEvent[])]).length).toBe(50);
  expect(asked.rows).toBeGreaterThan(40);
});

test("many who follow one run are one question to the backend, less often while nothing comes", async () => {
  const doors = doorsAt(2);
  const backend = memory();
  const handle = await driven(backend, 2);
  const asked = new Asked(backend.another());
  const other = await open({ backend: asked, graphs: [counting], recover: false, poll: "30ms" });
  const readings = Array.from({ length: 20 }, () => readUntil(other, "run"));
  await eventually("it was looked at some times", () => asked.gets > 25);
  // Each reading asked once for itself, to begin with.
  expect(asked.gets).toBeLessThan(60);
  doors.get(2)!.open();
  await handle.result();
  const all = await Promise.all(readings);
  expect(new Set(all.map(({ events }) => JSON.stringify(events))).size).toBe(1);
  expect(all.every(({ error }) => error === null)).toBe(true);
});

test("of a run that nobody goes on with it is told what it did, and why there is no more", async () => {
  doorsAt(2);
  const backend = memory();
  await driven(backend, 2);
  await backend.abandon();
  const other = await open({ backend: backend.another(), graphs: [counting], recover: false });
  await other.close();
  const reviewing = backend.another();
  const engine = await open({ backend: reviewing, graphs: [counting], recover: false });
  await reviewing.fenceAll({ at: 1, resume: false });
  const { events, error } = await readUntil(engine, "run");
  expect(yieldedIn(events)).toEqual([1]);
  expect(error).toMatchObject({ code: "RunOnHold" });
});

test("what a graph asks ends a following as it ends a live reading, and it goes on behind that when it was answered", async () => {
  const backend = memory();
  const engine = await open({ backend, graphs: [asking] });
  const other = await open({ backend: backend.another(), graphs: [asking], recover: false });
  const handle = await engine.start(asking, {}, { id: "run" });
  const first = await readUntil(other, "run");
  expect(first.events.at(-1)).toMatchObject({ result: { status: "interrupted" } });
  await handle.answer("sure", "yes");
  const second = await readUntil(other, "run", { after: first.events.at(-2)! });
  expect(second.events.at(-1)).toMatchObject({ result: { status: "completed", output: { said: "yes" } } });
  const whole = [...first.events.slice(0, -1), ...second.events];
  expect(recordedOf(whole)).toEqual(recordedOf((await readUntil(engine, "run")).events));
});

test("the handle of a run that rested here tells on when another engine goes on with it, as its result does", async () => {
  const backend = memory();
  const engine = await open({ backend, graphs: [asking], recover: false });
  const handle = await engine.start(asking, {}, { id: "run" });
  const early = handle.stream(allModes);
  const first = await early.next();
  expect((await handle.result()).status).toBe("interrupted");
  const other = await open({ backend: backend.another(), graphs: [asking] });
  const there = await other.answer("run", "sure", "yes");
  expect((await there.result()).status).toBe("completed");
  const late = await Array.fromAsync(handle.stream(allModes));
  expect(late.at(-1)).toMatchObject({ result: { status: "completed", output: { said: "yes" } } });
  expect([first.value!, ...(await Array.fromAsync(early))]).toEqual(late);
});

test("a tail that was compacted away while its reader stood before it is told by name, and one that is there goes on", async () => {
  const doors = doorsAt(30);
  const backend = memory();
  const engine = await open({ backend, graphs: [turning], snapshots: { after: 1, share: Infinity } });
  const handle = await engine.start(turning, { to: 30 }, { id: "run" });
  const other = await open({ backend: backend.another(), graphs: [turning], recover: false });
  const slow = await other.stream("run", "updates");
  await slow.next();
  const quick: unknown[] = [];
  const reading = (async () => {
    for await (const { node, value } of await other.stream("run", "updates"))
      if (node.endsWith("step")) quick.push(value);
  })();
  await eventually("all but the last are told", () => quick.length === 29);
  await engine.compact("run");
  await expect(Array.fromAsync(slow)).rejects.toMatchObject({ code: "HistoryCompacted" });
  doors.get(30)!.open();
  await handle.result();
  await reading;
  expect(quick).toEqual(Array.from({ length: 30 }, (_, i) => ({ n: i + 1 })));
});
