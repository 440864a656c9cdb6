/** What engines that share a backend do for each other's runs. */
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  graph,
  interrupt,
  memory,
  op,
  sleep,
  type Backend,
  type Engine,
  type EngineOptions,
  type Graph,
  type Ref,
} from "../../src/index.ts";
import type { MemoryBackend } from "../../src/backends/memory.ts";
import { WrappedBackend } from "../../src/backends/wrapped.ts";
import { open } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";

let ran: string[] = [];
let gate = Promise.withResolvers<void>();

const before = op("before", ({ n }: { n: number }) => {
  ran.push(`before ${n}`);
  return { n: n + 1 };
});
const slow = op("slow", { async: true }, async ({ n }: { n: number }, ctx) => {
  const { promise } = gate;
  ran.push(`slow ${n}`);
  await Promise.race([promise, aborted(ctx.signal)]);
  return { n: n + 1 };
});
const after = op("after", ({ n }: { n: number }) => {
  ran.push(`after ${n}`);
  return { n };
});

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true }),
  );
}

const work = graph("work", (input: Ref<{ n: number }>) => ({
  n: after({ n: slow({ n: before({ n: input.n }).n }).n }).n,
}));
const approval = graph("approval", (input: Ref<{ n: number }>) => {
  const first = before({ n: input.n });
  const answer = interrupt("approve", { n: first.n }, { answer: z.object({ add: z.number() }) });
  return { n: after({ n: answer.add }).n };
});

function fresh(): MemoryBackend {
  ran = [];
  gate = Promise.withResolvers<void>();
  onTestFinished(() => gate.resolve());
  return memory();
}

/** Polls often, so that tests need not wait. */
function quick(backend: Backend, options: EngineOptions = {}): Promise<Engine> {
  return open({ backend, graphs: [work, approval], poll: 10, ...options });
}

test("R26 H55 a run whose engine dies is taken over by one that is open, without anybody asking", async () => {
  const store = fresh();
  const first = await quick(store);
  await first.start(work, { n: 1 }, { id: "r" });
  await eventually(() => expect(ran).toEqual(["before 1", "slow 2"]));
  const second = await quick(store.another());
  expect(second.recovered).toEqual([]);
  await store.abandon();
  await eventually(() => expect(ran).toEqual(["before 1", "slow 2", "slow 2"]));
  gate.resolve();
  await eventually(async () => expect(await second.get("r")).toMatchObject({ status: "completed", output: { n: 3 } }));
  expect(ran).toEqual(["before 1", "slow 2", "slow 2", "after 3"]);
});

test("H7 P3.9 three engines over one store: each orphan goes on in exactly one", async () => {
  const store = fresh();
  const dying = await quick(store, { recover: false });
  for (let i = 0; i < 30; i++) await dying.start(work, { n: i }, { id: `r${i}` });
  const others = await Promise.all([1, 2, 3].map(() => quick(store.another())));
  ran = [];
  await store.abandon();
  await eventually(() => expect(ran.filter((line) => line.startsWith("slow"))).toHaveLength(30));
  gate.resolve();
  await eventually(async () =>
    expect((await others[0]!.list({ status: ["completed"] })).map(({ epoch }) => epoch)).toEqual(Array(30).fill(2)),
  );
  expect(ran.filter((line) => line.startsWith("after"))).toHaveLength(30);
});

test("P3.2 F14 an answer left by a process that does not have the graph wakes the run where it is known", async () => {
  const store = fresh();
  const worker = await quick(store);
  const handle = await worker.start(approval, { n: 1 }, { id: "r" });
  expect(await handle.result()).toMatchObject({ status: "interrupted" });
  const web = await open({ backend: store.another() });
  const remote = await web.answer("r", "approve", { add: 7 }, { by: "ada" });
  expect(await remote.result()).toMatchObject({ status: "completed", output: { n: 7 } });
  expect(ran).toEqual(["before 1", "after 7"]);
});

test("H62 an answer for a question that a live engine holds open reaches it, and the first one counts", async () => {
  const store = fresh();
  const both = graph("both", (input: Ref<{ n: number }>) => {
    const answer = interrupt("ask", {}, { answer: z.number() });
    return { sum: answer, n: slow({ n: input.n }).n };
  });
  const owner = await open({ backend: store, graphs: [both], poll: 10 });
  await owner.start(both, { n: 1 }, { id: "r" });
  await eventually(() => expect(ran).toEqual(["slow 1"]));
  const other = await open({ backend: store.another(), graphs: [both], poll: 10 });
  await expect(other.answer("r", "ask", "seven")).rejects.toMatchObject({ code: "InvalidValue" });
  await expect(other.answer("r", "nobody", 7)).rejects.toMatchObject({ code: "InterruptNotFound" });
  const answers = await Promise.allSettled(
    Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? owner : other).answer("r", "ask", i, { by: `person ${i}` })),
  );
  const won = answers.flatMap(({ status }, i) => (status === "fulfilled" ? [i] : []));
  expect(won).toHaveLength(1);
  const refusals = answers.flatMap((answer) =>
    answer.status === "rejected" ? [(answer.reason as { code: string }).code] : [],
  );
  expect(refusals.filter((code) => code !== "InterruptAnswered" && code !== "InterruptNotFound")).toEqual([]);
  gate.resolve();
  await eventually(async () =>
    expect(await owner.get("r")).toMatchObject({ status: "completed", output: { sum: won[0], n: 2 } }),
  );
});

test("an answer for a run that another engine drives reads its journal once", async () => {
  const store = fresh();
  let reads = 0;
  class Counting extends WrappedBackend {
    override read(...asked: Parameters<Backend["read"]>): ReturnType<Backend["read"]> {
      reads++;
      return this.inner.read(...asked);
    }
  }
  const worker = await quick(store);
  await (await worker.start(approval, { n: 1 }, { id: "r" })).result();
  const web = await open({ backend: new Counting(store.another()) });
  const remote = await web.answer("r", "approve", { add: 7 });
  expect(reads).toBe(1);
  expect(await remote.result()).toMatchObject({ status: "completed", output: { n: 7 } });
  await expect(remote.answer("approve", { add: 8 })).rejects.toMatchObject({ code: "RunEnded" });
});

test("an answer that does not match, left by who could not check it, leaves the question open and says so", async () => {
  const store = fresh();
  const warnings: string[] = [];
  const worker = await quick(store, { warn: (text) => warnings.push(text) });
  await (await worker.start(approval, { n: 1 }, { id: "r" })).result();
  const web = await open({ backend: store.another() });
  await web.answer("r", "approve", { add: "seven" }, { by: "bob" });
  await eventually(() => expect(warnings.join("\n")).toMatch(/the answer to "approve" of run r by bob was not taken/));
  await eventually(async () => expect((await web.get("r"))?.status).toBe("interrupted"));
  const remote = await web.answer("r", "approve", { add: 7 }, { by: "bob" });
  expect(await remote.result()).toMatchObject({ status: "completed", output: { n: 7 } });
});

test("an answer is checked once by its schema, whoever gives it", async () => {
  const store = fresh();
  const text = graph("text", () => ({
    length: interrupt("ask", {}, { answer: z.string().transform((said) => said.length) }),
  }));
  const worker = await open({ backend: store, graphs: [text], poll: 10 });
  for (const [id, engine] of [
    ["here", worker],
    ["there", await open({ backend: store.another(), poll: 10 })],
  ] as const) {
    await (await worker.start(text, {}, { id })).result();
    await engine.answer(id, "ask", "seven");
    await eventually(async () => expect(await worker.get(id)).toMatchObject({ output: { length: 5 } }));
  }
});

test("H55 H54 cancel reaches a run that another engine drives, and tells what it ended as", async () => {
  const store = fresh();
  const owner = await quick(store);
  const handle = await owner.start(work, { n: 1 }, { id: "r" });
  await eventually(() => expect(ran).toContain("slow 2"));
  const other = await quick(store.another());
  expect(await other.cancel("r", "no longer needed")).toMatchObject({
    status: "cancelled",
    reason: "no longer needed",
  });
  expect(await handle.result()).toMatchObject({ status: "cancelled" });
  expect(ran).toEqual(["before 1", "slow 2"]);
});

test("H55 a cancel that its owner did not live to see is carried out by the next one, before anything starts", async () => {
  const store = fresh();
  const owner = await quick(store, { recover: false, poll: "1h" });
  await owner.start(work, { n: 1 }, { id: "r" });
  await eventually(() => expect(ran).toContain("slow 2"));
  const reader = store.another();
  await reader.open("reader");
  const note = { runId: "r", kind: "cancel", key: "", bytes: new TextEncoder().encode("enough"), by: null } as const;
  await store.abandon();
  await reader.post({ ...note, at: 1, wakes: [] });
  ran = [];
  const next = await quick(store.another());
  await eventually(async () => expect(await next.get("r")).toMatchObject({ status: "cancelled", reason: "enough" }));
  expect(ran).toEqual([]);
});

test("R09 drain reaches a run that another engine drives; it is held until somebody resumes it", async () => {
  const store = fresh();
  const owner = await quick(store);
  await owner.start(work, { n: 1 }, { id: "r" });
  await eventually(() => expect(ran).toContain("slow 2"));
  const other = await quick(store.another());
  const draining = other.drain("r");
  await eventually(async () => expect((await store.inbox("r")).length + (await store.arrivals(9)).length).toBe(0));
  await new Promise((done) => setTimeout(done, 100));
  gate.resolve();
  await draining;
  expect(await other.get("r")).toMatchObject({ status: "drained" });
  expect(ran).toEqual(["before 1", "slow 2"]);
  expect(await (await other.resume("r")).result()).toMatchObject({ status: "completed", output: { n: 3 } });
});

test("H81 H12 shutdown lets bodies finish and gives runs to the next engine, at no cost of an attempt", async () => {
  const store = fresh();
  const first = await quick(store);
  await first.start(work, { n: 1 }, { id: "r" });
  await eventually(() => expect(ran).toContain("slow 2"));
  const closing = first.shutdown();
  gate.resolve();
  await closing;
  expect(ran).toEqual(["before 1", "slow 2"]);
  const second = await quick(store.another());
  await eventually(async () => expect(await second.get("r")).toMatchObject({ status: "completed", output: { n: 3 } }));
  expect(await second.get("r")).toMatchObject({ attempts: 0 });
  expect(ran).toEqual(["before 1", "slow 2", "after 3"]);
});

test("H81 a body that does not end within the grace runs again in the next engine, still at no cost of an attempt", async () => {
  const store = fresh();
  const first = await quick(store);
  await first.start(work, { n: 1 }, { id: "r" });
  await eventually(() => expect(ran).toContain("slow 2"));
  await first.shutdown({ grace: 20 });
  const second = await quick(store.another());
  await eventually(() => expect(ran).toEqual(["before 1", "slow 2", "slow 2"]));
  expect(await second.get("r")).toMatchObject({ status: "running", attempts: 0 });
});

test("H12 fifty rolling restarts do not quarantine a run", async () => {
  const store = fresh();
  let engine = await quick(store, { maxAttempts: 2 });
  await engine.start(work, { n: 1 }, { id: "r" });
  for (let i = 0; i < 50; i++) {
    await engine.shutdown({ grace: 1 });
    engine = await quick(store.another(), { maxAttempts: 2 });
    await eventually(async () => expect(await engine.get("r")).toMatchObject({ status: "running", attempts: 0 }));
  }
  gate.resolve();
  await eventually(async () => expect(await engine.get("r")).toMatchObject({ status: "completed" }));
});

test("H11 P4.7 a run over which too many engines died is quarantined, others go on; resume tries again", async () => {
  const store = fresh();
  const warnings: string[] = [];
  let handle = store;
  const options = { maxAttempts: 2, warn: (text: string) => warnings.push(text) };
  const first = await quick(handle, { ...options, recover: false });
  await first.start(work, { n: 1 }, { id: "poison" });
  for (let i = 0; i < 2; i++) {
    await handle.abandon();
    handle = store.another();
    const before2 = ran.length;
    await quick(handle, options);
    await eventually(() => expect(ran.length).toBeGreaterThan(before2));
  }
  await handle.abandon();
  await new Promise((done) => setTimeout(done, 1_100));
  const last = await quick(store.another(), options);
  await eventually(async () => expect(await last.get("poison")).toMatchObject({ status: "quarantined", owner: null }));
  expect(warnings.join("\n")).toMatch(/run poison of "work" is quarantined: 3 engines in a row died/);
  // The bodies of the dead ones go on hanging.
  const { resolve } = gate;
  onTestFinished(() => resolve());
  gate = Promise.withResolvers<void>();
  gate.resolve();
  expect(await last.run(work, { n: 5 })).toEqual({ n: 7 });
  expect(await (await last.resume("poison")).result()).toMatchObject({ status: "completed", output: { n: 3 } });
});

test("H56 H47 a run at rest goes on when its time has come, in an engine that was open all the while", async () => {
  const store = fresh();
  const nap = graph("nap", () => {
    const pause = sleep("pause", 6_000);
    const asked = interrupt("ask", {}, { answer: z.number(), timeout: 6_000, default: 5 });
    return { n: after({ n: asked }, { after: [pause] }).n };
  });
  let now = 1_700_000_000_000;
  const clock = { ...systemLike(), now: () => now };
  const first = await open({ backend: store, graphs: [nap], clock, poll: 10 });
  expect(await (await first.start(nap, {}, { id: "r" })).result()).toMatchObject({ status: "interrupted" });
  const second = await open({ backend: store.another(), graphs: [nap], clock, poll: 10 });
  await first.close();
  await new Promise((done) => setTimeout(done, 50));
  expect(await second.get("r")).toMatchObject({ status: "interrupted", wakeAt: now + 6_000 });
  now += 6_001;
  await eventually(async () => expect(await second.get("r")).toMatchObject({ status: "completed", output: { n: 5 } }));
});

function systemLike(): Omit<NonNullable<EngineOptions["clock"]>, "now"> {
  return {
    monotonic: () => performance.now(),
    timer: (ms, callback) => {
      const handle = setTimeout(callback, Math.min(ms, 2 ** 31 - 1));
      return () => clearTimeout(handle);
    },
    background: (ms, callback) => {
      const handle = setTimeout(callback, ms);
      return () => clearTimeout(handle);
    },
    defer: (callback) => void setImmediate(callback),
  };
}

test("R27 H44 an engine leaves runs of other fingerprints and graphs where they are, visible", async () => {
  const store = fresh();
  const first = await quick(store);
  await first.start(work, { n: 1 }, { id: "r" });
  await eventually(() => expect(ran).toContain("slow 2"));
  await store.abandon();
  const changed = graph("work", (input: Ref<{ n: number }>) => ({ n: before({ n: input.n }).n }));
  const other = await open({ backend: store.another(), graphs: [changed], poll: 10 });
  await new Promise((done) => setTimeout(done, 60));
  expect(await other.list()).toMatchObject([{ id: "r", status: "running", epoch: 1 }]);
  expect(ran).toEqual(["before 1", "slow 2"]);
});

test("R27 H44 the version of an op is part of what a worker holds: with another one the run waits, and a resume says why", async () => {
  const store = fresh();
  const done: string[] = [];
  const versioned = (version: string): Graph<{ n: number }, { n: number }> => {
    const step = op("step", { version, async: true }, async ({ n }: { n: number }) => {
      done.push(`step ${version}`);
      await gate.promise;
      return { n };
    });
    return graph("versioned", (input: Ref<{ n: number }>) => ({ n: step({ n: input.n }).n }));
  };
  const [one, two] = [versioned("1"), versioned("2")];
  const first = await quick(store, { graphs: [one] });
  await first.start(one, { n: 1 }, { id: "r" });
  await eventually(() => expect(done).toEqual(["step 1"]));
  await store.abandon();
  const other = await open({ backend: store.another(), graphs: [two], poll: 10 });
  await new Promise((wait) => setTimeout(wait, 60));
  expect(await other.list()).toMatchObject([{ id: "r", status: "running", epoch: 1 }]);
  const { fingerprint } = (await other.get("r"))!;
  await expect(other.resume("r")).rejects.toMatchObject({
    code: "FingerprintMismatch",
    message: expect.stringContaining(fingerprint) as string,
  });
  const same = await open({ backend: store.another(), graphs: [versioned("1")], poll: 10 });
  await eventually(() => expect(done).toEqual(["step 1", "step 1"]));
  gate.resolve();
  await eventually(async () => expect(await same.get("r")).toMatchObject({ status: "completed", output: { n: 1 } }));
});

test("a damaged run is tried once and left to others; it keeps nothing from going on", async () => {
  const store = fresh();
  const warnings: string[] = [];
  const first = await quick(store, { recover: false });
  await first.start(work, { n: 1 }, { id: "damaged" });
  await first.start(work, { n: 2 }, { id: "sound" });
  await eventually(() => expect(ran).toHaveLength(4));
  const reader = store.another();
  await reader.open("reader");
  for await (const row of reader.read("damaged")) row.bytes.fill(0);
  const damaged = new (class extends (await import("../../src/index.ts")).WrappedBackend {
    override async *read(runId: string, fromSeq?: number): ReturnType<Backend["read"]> {
      for await (const row of this.inner.read(runId, fromSeq))
        yield runId === "damaged" ? { ...row, chain: row.chain ^ 1 } : row;
    }
  })(store.another());
  await store.abandon();
  await quick(damaged, { warn: (text) => warnings.push(text) });
  await eventually(() => expect(ran.filter((line) => line === "slow 3")).toHaveLength(2));
  await new Promise((done) => setTimeout(done, 100));
  expect(warnings.filter((text) => text.includes("run damaged"))).toHaveLength(1);
  expect((await damaged.get("damaged"))?.owner).toBeNull();
});

test("H9 fifty wakes of one run during a long op run it once", async () => {
  const store = fresh();
  const owner = await quick(store);
  await owner.start(work, { n: 1 }, { id: "r" });
  await eventually(() => expect(ran).toContain("slow 2"));
  const handles = await Promise.all(Array.from({ length: 50 }, () => owner.resume("r")));
  gate.resolve();
  for (const handle of handles) expect(await handle.result()).toMatchObject({ status: "completed" });
  expect(ran).toEqual(["before 1", "slow 2", "after 3"]);
});
