/** Bodies of unsafe ops: they begin at most once, and after a crash a person says what became of them. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  collect,
  derive,
  each,
  fallback,
  graph,
  interrupt,
  memory,
  op,
  openEngine,
  sweep,
  type Engine,
  type Handle,
  type Ref,
  type Runnable,
} from "../../src/index.ts";
import type { MemoryBackend } from "../../src/backends/memory.ts";
import { RecordKind } from "../../src/events/record.ts";
import { VirtualClock } from "./support/clock.ts";
import { afterCrash, crashEverywhere, open, undisturbed } from "./support/engines.ts";
import { eventually, forever } from "./support/gate.ts";
import { crashedBehind, recordingOf, type RawRecord, type Recording } from "./support/journal.ts";

/** What bodies did, in whatever process. */
let effects: string[] = [];
let hangs = true;

const charge = op(
  "charge",
  { effect: "unsafe", output: z.object({ id: z.string() }) },
  async ({ amount }: { amount: number }) => {
    effects.push(`charged ${amount}`);
    if (hangs) await forever();
    return { id: `c${amount}` };
  },
);
const receipt = op("receipt", ({ id }: { id: string }) => ({ text: `receipt of ${id}` }));
const pay = graph("pay", (input: Ref<{ amount: number }>) => {
  const charged = charge({ amount: input.amount });
  return { text: receipt({ id: charged.id }).text };
});

function fresh(): void {
  effects = [];
  hangs = true;
}

/** The process of a run dies while its unsafe body works. */
async function crashed(clock = new VirtualClock()): Promise<{ store: MemoryBackend; recording: Recording }> {
  fresh();
  const store = memory();
  const first = await openEngine({ backend: store, clock, warn: () => undefined });
  await first.start(pay, { amount: 5 }, { id: "r" });
  await eventually("the body began", () => effects.length === 1);
  const recording = await recordingOf(store, "r");
  await first.close();
  hangs = false;
  return { store: await crashedBehind(recording, recording.records.length), recording };
}

async function inDoubt(): Promise<{ engine: Engine; handle: Handle<unknown>; store: MemoryBackend }> {
  const { store } = await crashed();
  const engine = await open({ backend: store, graphs: [pay] });
  const handle = engine.recovered[0] as Handle<unknown>;
  expect(await handle.result()).toMatchObject({ status: "interrupted", interrupts: [{ node: "charge" }] });
  return { engine, handle, store };
}

describe("the start of an unsafe body", () => {
  test.each(["sync", "async"] as const)(
    "P3.8a H49 is durable before it begins, under %s durability",
    async (durability) => {
      fresh();
      hangs = false;
      const store = memory();
      const durable: RawRecord[][] = [];
      const look = op("look", { effect: "unsafe" }, async () => {
        durable.push([...(await recordingOf(store, "r")).records]);
        return {};
      });
      const flow = graph("flow", () => ({ looked: look({}) }));
      const engine = await open({ backend: store, durability });
      await (await engine.start(flow, undefined, { id: "r" })).output();
      expect(durable).toHaveLength(1);
      expect(durable[0]?.at(-1)?.slice(0, 4)).toEqual([RecordKind.unsafeStart, 1, 0, 1]);
    },
  );

  test("H49 one that was dispatched and did not begin begins after the crash, and nobody is asked", async () => {
    const { recording } = await crashed();
    effects = [];
    const cut = recording.records.findIndex(([kind]) => kind === RecordKind.unsafeStart);
    const result = await afterCrash(recording, cut, pay);
    expect(result).toMatchObject({ status: "completed", output: { text: "receipt of c5" } });
    expect(effects).toEqual(["charged 5"]);
  });

  test("each attempt has a start of its own, and one that failed is not in doubt", async () => {
    fresh();
    let tries = 0;
    const flaky = op("flaky", { effect: "unsafe", retry: { attempts: 3, initial: 10, on: () => true } }, async () => {
      if (++tries < 3) throw new Error("busy");
      return { tries };
    });
    const flow = graph("flow", () => ({ tries: flaky({}).tries }));
    const { recording } = await undisturbed(flow, undefined);
    const kinds = recording.records.map(([kind]) => kind);
    expect(kinds).toEqual([0, 20, 4, 20, 4, 20, 1, 9]);
    for (const cut of [3, 5]) {
      tries = cut === 3 ? 1 : 2;
      const result = await afterCrash(recording, cut, flow);
      expect(result.status, `crashed behind record ${cut}`).toBe("completed");
    }
  });

  test("nothing is recorded of it without a backend", async () => {
    fresh();
    hangs = false;
    const engine = await open();
    expect(await engine.run(pay, { amount: 1 })).toEqual({ text: "receipt of c1" });
  });
});

test("R11 R17 H49 over a crash behind any record an unsafe body has its effect at most once, and is asked about only when it had begun and not ended", async () => {
  fresh();
  hangs = false;
  const chain = graph("chain", (input: Ref<{ amount: number }>) => {
    const first = charge({ amount: input.amount });
    const second = charge({ amount: derive(first.id, (id) => id.length) }, { name: "again" });
    return { text: receipt({ id: second.id }).text };
  });
  const doubted: number[] = [];
  await crashEverywhere(chain, { amount: 7 }, ({ cut, recording, result }) => {
    const last = recording.records[cut - 1]?.[0];
    if (last === RecordKind.unsafeStart) doubted.push(cut);
    const status = last === RecordKind.unsafeStart ? "interrupted" : "completed";
    expect([cut, result.status]).toEqual([cut, status]);
    expect(new Set(effects).size, `behind record ${cut}`).toBe(2);
  });
  expect(doubted).toHaveLength(2);
  // Undisturbed each once; of the lives behind a crash only those that had not begun one ran it.
  const charged = (amount: number): number => effects.filter((effect) => effect === `charged ${amount}`).length;
  expect([charged(7), charged(2)]).toEqual([1 + 1, 1 + 2]);
});

describe("a body in doubt", () => {
  test("H49 is not run again: the run asks what became of it, with its input, attempt and start", async () => {
    const { handle, engine } = await inDoubt();
    expect(effects).toEqual(["charged 5"]);
    const asked = {
      node: "charge",
      path: "pay/charge",
      title: 'What became of "charge"?',
      payload: {
        reason: '"charge" was at work when its process ended, and may have had its effect',
        attempt: 1,
        startedAt: Date.UTC(2026, 0, 1),
        input: { amount: 5 },
      },
    };
    const [interrupt] = handle.interrupts();
    expect(interrupt).toMatchObject(asked);
    expect((await engine.get("r"))?.interrupts).toMatchObject([interrupt as object]);
    expect(interrupt).not.toHaveProperty("due");
  });

  test("{ output } is what it came to: it passes the schema of the op, and what reads it goes on", async () => {
    const { handle, engine } = await inDoubt();
    await expect(handle.answer("charge", { output: { id: 7 } })).rejects.toMatchObject({
      code: "InvalidValue",
      message: expect.stringContaining("output.id"),
    });
    await handle.answer("charge", { output: { id: "c5" } }, { by: "ann" });
    expect(await handle.result()).toMatchObject({ status: "completed", output: { text: "receipt of c5" } });
    expect(effects).toEqual(["charged 5"]);
    expect(await engine.get("r")).toMatchObject({ finished: { charge: 1, receipt: 1 }, failed: {}, interrupts: [] });
  });

  test("{ rerun: true } runs it once more, under the same idempotency key and attempt", async () => {
    const { handle } = await inDoubt();
    await handle.answer("charge", { rerun: true });
    expect(await handle.result()).toMatchObject({ status: "completed", output: { text: "receipt of c5" } });
    expect(effects).toEqual(["charged 5", "charged 5"]);
  });

  test("{ fail } is its failure, which is not retried", async () => {
    const { handle, engine } = await inDoubt();
    await handle.answer("charge", { fail: "the bank has no such charge" });
    expect(await handle.result()).toMatchObject({
      status: "failed",
      errors: [{ node: "charge", code: "Failed", message: "the bank has no such charge", attempts: 1 }],
    });
    expect(await engine.get("r")).toMatchObject({ failed: { charge: 1 } });
  });

  test("{ fail } is for good, also where the op has attempts left", async () => {
    fresh();
    const persistent = op(
      "persistent",
      { effect: "unsafe", retry: { attempts: 3, initial: 1, on: () => true } },
      async ({ amount }: { amount: number }) => {
        effects.push(`charged ${amount}`);
        return hangs ? forever() : { id: `c${amount}` };
      },
    );
    const store = memory();
    const first = await openEngine({ backend: store, warn: () => undefined });
    await first.start(persistent, { amount: 5 }, { id: "r" });
    await eventually("the body began", () => effects.length === 1);
    const recording = await recordingOf(store, "r");
    await first.close();
    hangs = false;
    const engine = await open({
      backend: await crashedBehind(recording, recording.records.length),
      graphs: [persistent],
    });
    const handle = await engine.resume("r").catch(() => engine.recovered[0]!);
    await eventually("it is asked", () => handle.interrupts().length === 1);
    await handle.answer("persistent", { fail: "the bank has no such charge" });
    expect(await handle.result()).toMatchObject({
      status: "failed",
      errors: [{ node: "persistent", message: "the bank has no such charge", attempts: 1 }],
    });
    expect(effects).toEqual(["charged 5"]);
  });

  test.each([
    undefined,
    null,
    "yes",
    {},
    { rerun: false },
    { fail: 1 },
    { output: { id: "x" }, rerun: true },
    { id: "x" },
  ])("%o is no answer: it is refused naming those that are, and the question stays open", async (wrong) => {
    const { handle, engine } = await inDoubt();
    const refused = {
      code: "InvalidValue",
      message: expect.stringContaining('{ "output": … }, { "rerun": true } or { "fail": "why" }'),
    };
    await expect(handle.answer("charge", wrong)).rejects.toMatchObject(refused);
    await expect(engine.answer("r", "charge", wrong)).rejects.toMatchObject(refused);
    expect(handle.interrupts()).toHaveLength(1);
  });

  test("K9 the question survives a crash behind each of its records, and a drain", async () => {
    const { store, handle } = await inDoubt();
    const interrupts = handle.interrupts();
    const asked = await recordingOf(store, "r");
    for (let cut = 3; cut <= asked.records.length; cut++) {
      const engine = await open({ backend: await crashedBehind(asked, cut), graphs: [pay] });
      const again = engine.recovered[0] ?? (await engine.resume("r"));
      expect(await again.result(), `behind record ${cut}`).toMatchObject({ status: "interrupted", interrupts });
      await again.drain();
      const resumed = await engine.resume("r");
      expect(await resumed.result()).toMatchObject({ status: "interrupted", interrupts });
    }
  });

  test("K9 a body that is cut off when it runs again is another question", async () => {
    const { store, handle } = await inDoubt();
    const [before] = handle.interrupts();
    hangs = true;
    effects = [];
    await handle.answer("charge", { rerun: true });
    await eventually("it runs again", () => effects.length === 1);
    const { records, ...rest } = await recordingOf(store, "r");
    hangs = false;
    const dead = await crashedBehind({ records, ...rest }, records.length);
    const engine = await open({ backend: dead, graphs: [pay] });
    const last = engine.recovered[0] as Handle<unknown>;
    await last.result();
    const [question] = last.interrupts();
    expect(question).toMatchObject({ node: "charge", payload: { attempt: 1 } });
    expect(question?.id).not.toBe(before?.id);
    expect((await engine.get("r"))?.interrupts).toMatchObject([question as object]);
    await last.answer("charge", { output: { id: "c5" } });
    expect(await last.output()).toEqual({ text: "receipt of c5" });
    expect(effects).toEqual(["charged 5"]);
  });

  test("R11 an answer from a process without the graph, while nobody drives the run, is checked and taken by who goes on", async () => {
    const { engine, store } = await inDoubt();
    await engine.close();
    const poster = await open({ backend: store.another(), recover: false });
    await poster.answer("r", "pay/charge", { output: { id: "c5" } });
    await poster.close();
    const other = await open({ backend: store.another(), graphs: [pay] });
    const handle = other.recovered[0] ?? (await other.resume("r"));
    expect(await handle.output()).toEqual({ text: "receipt of c5" });
    expect(effects).toEqual(["charged 5"]);
  });

  test("readers are told of the question, its verdict and what came of it, live and from the journal alike", async () => {
    const { handle } = await inDoubt();
    const [question] = handle.interrupts();
    const told = async (): Promise<unknown[]> => {
      const events: unknown[] = [];
      for await (const event of handle.stream(["interrupts", "tasks"])) {
        if (event.node === "charge") events.push(event);
        // Whoever answers as it reads reads on.
        if (event.mode === "interrupts" && handle.interrupts().length > 0)
          await handle.answer(event.id, { output: { id: "c5" } });
      }
      return events;
    };
    const live = await told();
    await handle.output();
    const past = await told();
    expect(past).toMatchObject([
      { mode: "interrupts", interrupt: "asked", id: question?.id, payload: question?.payload },
      { mode: "interrupts", interrupt: "answered", id: question?.id, answer: { output: { id: "c5" } } },
      { mode: "tasks", task: "started", attempt: 1 },
      { mode: "tasks", task: "finished", attempt: 1 },
    ]);
    expect(past).toEqual(live);
  });

  test("an inline op is asked about like any other", async () => {
    const inline = op("inline", { effect: "unsafe" }, ({ n }: { n: number }) => ({ n: n + 1 }));
    const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: inline({ n: input.n }).n }));
    const { recording, result } = await undisturbed(flow, { n: 1 });
    expect(result).toMatchObject({ output: { n: 2 } });
    const started = recording.records.findIndex(([kind]) => kind === RecordKind.unsafeStart);
    expect(started).toBe(1);
    expect(await afterCrash(recording, started + 1, flow)).toMatchObject({ status: "interrupted" });
  });

  test("a cancel ends the run without an answer", async () => {
    const { engine } = await inDoubt();
    expect(await engine.cancel("r", "enough")).toMatchObject({ status: "cancelled" });
    await expect(engine.answer("r", "charge", { rerun: true })).rejects.toMatchObject({ code: "RunEnded" });
    expect(effects).toEqual(["charged 5"]);
  });

  test("its own time limit does not answer for it, and is counted anew when it runs again", async () => {
    fresh();
    const clock = new VirtualClock();
    const slow = op("slow", { effect: "unsafe", timeout: { total: "1m" } }, async () => {
      effects.push(`began at ${clock.elapsed}`);
      if (hangs) await forever();
      return { done: true };
    });
    const flow = graph("flow", () => ({ done: slow({}).done }));
    const store = memory();
    const engine = await open({ backend: store, clock });
    await engine.start(flow, undefined, { id: "r" });
    await eventually("it began", () => effects.length === 1);
    const recording = await recordingOf(store, "r");
    hangs = false;
    await clock.advance(30_000);
    const second = await open({
      backend: await crashedBehind(recording, recording.records.length),
      graphs: [flow],
      clock,
    });
    const [handle] = second.recovered;
    expect(await handle?.result()).toMatchObject({ status: "interrupted" });
    await clock.advance(600_000);
    expect(handle?.interrupts()).toHaveLength(1);
    await handle?.answer("slow", { rerun: true });
    expect(await clock.until(handle!.result())).toMatchObject({ status: "completed" });
    expect(effects).toHaveLength(2);
  });
});

/** A run whose unsafe body is in doubt, of any graph whose body tells `effects` that it began. */
async function doubted<I>(flow: Runnable<I, unknown>, input: I, clock: VirtualClock, began = 1) {
  fresh();
  const store = memory();
  const engine = await openEngine({ backend: store, clock, warn: () => undefined });
  await engine.start(flow, input, { id: "r" });
  await eventually("the bodies began", () => effects.length === began);
  const recording = await recordingOf(store, "r");
  await engine.close();
  hangs = false;
  const dead = await crashedBehind(recording, recording.records.length);
  const second = await open({ backend: dead, graphs: [flow], clock });
  return { engine: second, handle: second.recovered[0] as Handle<unknown>, recording, store: dead };
}

describe("what is around a body in doubt", () => {
  test("F1 a fallback gets the failure that was said, and the question of a body that it sweeps is withdrawn", async () => {
    const clock = new VirtualClock();
    const ask = interrupt;
    const flow = graph("flow", (input: Ref<{ amount: number }>) => {
      const safe = fallback(
        "safe",
        () => {
          const gate = ask("gate", {}, { answer: z.object({ ok: z.boolean() }) });
          const strict = op("strict", ({ ok }: { ok: boolean }) => {
            if (!ok) throw new Error("not ok");
            return { ok };
          });
          strict({ ok: gate.ok });
          return { id: charge({ amount: input.amount }).id };
        },
        (error) => ({ id: error.message }),
      );
      return { id: safe.id };
    });
    const said = await doubted(flow, { amount: 1 }, clock);
    await said.handle.result();
    await said.handle
      .answer("charge", { fail: "no" })
      .catch(() => said.handle.answer("safe/body/charge", { fail: "no" }));
    expect(await said.handle.output()).toEqual({ id: "no" });

    const swept = await doubted(flow, { amount: 2 }, clock);
    await swept.handle.result();
    expect(swept.handle.interrupts()).toHaveLength(2);
    await swept.handle.answer("safe/body/gate", { ok: false });
    expect(await swept.handle.output()).toEqual({ id: "not ok" });
    expect(effects).toEqual(["charged 2"]);
  });

  test("K9 items are in doubt each on its own, and the others go on", async () => {
    const flow = graph("flow", (input: Ref<{ amounts: number[] }>) => ({
      ids: collect(charge({ amount: each(input.amounts) }, { parallel: 2 }).id, { errors: "skip" }),
    }));
    const { handle, engine } = await doubted(flow, { amounts: [1, 2, 3] }, new VirtualClock(), 2);
    await handle.result();
    expect(handle.interrupts().map(({ path }) => path)).toEqual([
      "flow/input.amounts[0]/charge",
      "flow/input.amounts[1]/charge",
    ]);
    await expect(handle.answer("charge", { rerun: true })).rejects.toMatchObject({ code: "AmbiguousInterrupt" });
    await handle.answer("flow/input.amounts[1]/charge", { output: { id: "two" } });
    await eventually("the third ran", () => effects.includes("charged 3"));
    await handle.result();
    const last = await engine.answer("r", "flow/input.amounts[0]/charge", { fail: "lost" });
    expect(await last.result()).toMatchObject({ output: { ids: ["two", "c3"] } });
    expect(effects).toEqual(["charged 1", "charged 2", "charged 3"]);
  });

  test("K10 the first answer counts, also from another engine, and the other is told who was first", async () => {
    const flow = graph("flow", (input: Ref<{ amount: number }>) => {
      const gate = interrupt("gate", {}, { answer: z.object({ ok: z.boolean() }) });
      return { id: charge({ amount: input.amount }).id, ok: gate.ok };
    });
    const { engine, handle, store } = await doubted(flow, { amount: 1 }, new VirtualClock());
    await handle.result();
    const other = await open({ backend: store.another(), recover: false, graphs: [flow] });
    const [here, there] = await Promise.allSettled([
      engine.answer("r", "charge", { output: { id: "here" } }, { by: "here" }),
      other.answer("r", "charge", { output: { id: "there" } }, { by: "there" }),
    ]);
    const [won, lost] = here.status === "fulfilled" ? ["here", there] : ["there", here];
    expect(lost).toMatchObject({
      status: "rejected",
      reason: { code: "InterruptAnswered", message: expect.stringContaining(`"${won}"`) },
    });
    const last = await engine.answer("r", "gate", { ok: true });
    expect(await last.output()).toEqual({ id: won, ok: true });
    expect(effects).toEqual(["charged 1"]);
  });

  test("a sweep withdraws the question", async () => {
    const late = op("late", async ({ ok }: { ok: boolean }) => ({ ok }));
    const flow = graph("flow", (input: Ref<{ amounts: number[] }>) => {
      const charged = charge({ amount: each(input.amounts) }, { parallel: 2 });
      const gate = interrupt("gate", {}, { answer: z.object({ ok: z.boolean() }) });
      const count = sweep("stop", { on: late({ ok: gate.ok }).ok, cancel: [charged] });
      return { ids: collect(charged.id, { errors: "skip" }), count };
    });
    const { handle } = await doubted(flow, { amounts: [1, 2] }, new VirtualClock(), 2);
    await handle.result();
    expect(handle.interrupts()).toHaveLength(3);
    await handle.answer("gate", { ok: true });
    expect(await handle.output()).toMatchObject({ ids: [] });
    expect(effects).toEqual(["charged 1", "charged 2"]);
  });

  test("a time limit on the graph around it ends it without an answer", async () => {
    const clock = new VirtualClock();
    const outer = graph("outer", (input: Ref<{ amount: number }>) => {
      const paid = fallback(
        "paid",
        () => pay({ amount: input.amount }, { timeout: { total: "1h" } }),
        (error) => ({ text: error.code }),
      );
      return { text: paid.text };
    });
    const { engine, handle } = await doubted(outer, { amount: 1 }, clock);
    const waiting = await handle.result();
    expect(waiting).toMatchObject({ status: "interrupted" });
    await clock.advance(3_600_001);
    const after = await engine.resume("r").catch(() => handle);
    expect(await clock.until(after.result())).toMatchObject({ status: "completed", output: { text: "Timeout" } });
    expect(effects).toEqual(["charged 1"]);
  });
});

describe("UnsafeInFlight, where there is nothing to ask", () => {
  const parts = op("parts", { effect: "unsafe" }, async function* () {
    effects.push("began");
    yield { n: 1 };
    if (hangs) await forever();
    yield { n: 2 };
  });
  const flow = graph("flow", () => ({ ns: collect(parts({}).n, { errors: "skip" }) }));

  test("a generator that had yielded items fails, before its first it is asked about like others, and not for an output", async () => {
    const { handle, recording } = await doubted(flow, undefined, new VirtualClock());
    const result = await handle.result();
    const frames = recording.records.filter(([kind]) => kind === RecordKind.frame).length;
    expect(frames).toBe(1);
    expect(result.errors).toMatchObject([{ node: "parts", code: "UnsafeInFlight" }]);
    const started = recording.records.findIndex(([kind]) => kind === RecordKind.unsafeStart);
    const engine = await open({ backend: await crashedBehind(recording, started + 1), graphs: [flow] });
    const [asked] = engine.recovered;
    expect(await asked?.result()).toMatchObject({ status: "interrupted" });
    await expect(asked?.answer("parts", { output: [] })).rejects.toMatchObject({
      code: "InvalidValue",
      message: expect.stringContaining('is said as { "rerun": true } or { "fail": "why" }'),
    });
    await asked?.answer("parts", { rerun: true });
    expect(await asked?.output()).toEqual({ ns: [1, 2] });
  });

  test("journals of versions that recorded no starts stay readable: what was dispatched may have begun", async () => {
    const { recording } = await crashed();
    const [first, ...rest] = recording.records as [RawRecord, ...RawRecord[]];
    const { unsafeStarts: _, ...started } = first[1] as Record<string, unknown>;
    const old: Recording = {
      ...recording,
      records: [[0, started], ...rest.filter(([kind]) => kind !== RecordKind.unsafeStart)],
    };
    const engine = await open({ backend: await crashedBehind(old, old.records.length), graphs: [pay] });
    const [handle] = engine.recovered;
    expect(await handle?.result()).toMatchObject({ status: "interrupted" });
    expect(handle?.interrupts()[0]?.payload).not.toHaveProperty("startedAt");
    await handle?.answer("charge", { rerun: true });
    expect(await handle?.output()).toEqual({ text: "receipt of c5" });
  });
});
