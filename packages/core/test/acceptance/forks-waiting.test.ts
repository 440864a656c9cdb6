import { expect, test } from "vitest";
import { z } from "zod";
import {
  collect,
  each,
  graph,
  interrupt,
  memory,
  op,
  sleep,
  type Engine,
  type EngineOptions,
  type HistoryEntry,
  type Ref,
  type Runnable,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { VirtualClock } from "./support/clock.ts";
import { open, resumedOn } from "./support/engines.ts";
import { eventually, forever, gate } from "./support/gate.ts";
import { crashedBehind, recordingOf } from "./support/journal.ts";

let did: string[] = [];

async function stage(graphs: readonly Runnable<never, unknown>[], options: EngineOptions = {}): Promise<Engine> {
  did = [];
  return open({ backend: memory(), graphs, check: checkInvariants, ...options });
}

function historyOf(engine: Engine, runId: string): Promise<HistoryEntry[]> {
  return Array.fromAsync(engine.history(runId));
}

const Yes = z.object({ yes: z.boolean() });
const use = op("use", async ({ first, second }: { first: boolean; second: boolean }, ctx) => {
  did.push(`use ${first} ${second} ${ctx.idempotencyKey}`);
  return { both: first && second };
});
const asking = graph("asking", (_input: Ref<{}>) => {
  const first = interrupt("first", { text: "sure?" }, { answer: Yes });
  const second = interrupt("second", { text: "really?" }, { answer: Yes, timeout: "1h", after: [first] });
  return { both: use({ first: first.yes, second: second.yes }).both };
});

test("H45 an open question is asked again with an id of its own, an answer given before is kept, and keys differ", async () => {
  const clock = new VirtualClock();
  const engine = await stage([asking], { clock });
  const origin = await engine.start(asking, {}, { id: "origin" });
  await origin.result();
  await origin.answer("first", { yes: true }, { by: "ann" });
  const parked = await origin.result();
  if (parked.status !== "interrupted") throw new Error(`it is ${parked.status}`);
  await clock.advance(1_000);
  const fork = await engine.fork("origin", { id: "fork" });
  const asked = await fork.result();
  if (asked.status !== "interrupted") throw new Error(`it is ${asked.status}`);
  const [its, mine] = [parked.interrupts, asked.interrupts];
  expect(mine.map(({ node, path }) => [node, path])).toEqual([["second", "asking/second"]]);
  expect(mine[0]!.id).not.toBe(its[0]!.id);
  // How long it waits begins when it is asked.
  expect(mine[0]!.due).toBe(its[0]!.due! + 1_000);
  expect((await historyOf(engine, "fork")).filter(({ kind }) => kind === "answered")).toMatchObject([
    { node: "first", by: "ann", value: { yes: true } },
  ]);
  // Each is answered by itself.
  const forked = await engine.answer("fork", mine[0]!.id, { yes: false });
  expect(await forked.output()).toEqual({ both: false });
  expect((await engine.get("origin"))?.status).toBe("interrupted");
  const answered = await engine.answer("origin", its[0]!.id, { yes: true });
  expect(await answered.output()).toEqual({ both: true });
  const keys = did.map((line) => line.split(" ")[3]);
  expect(new Set(keys).size).toBe(2);
});

test("H45 `rerun` asks an answered question once more", async () => {
  const engine = await stage([asking]);
  const origin = await engine.start(asking, {}, { id: "origin" });
  await origin.result();
  await origin.answer("first", { yes: true });
  await origin.result();
  await origin.answer("second", { yes: true });
  expect(await origin.output()).toEqual({ both: true });
  const fork = await engine.fork("origin", { rerun: ["asking/second"] });
  expect(await fork.result()).toMatchObject({ status: "interrupted", interrupts: [{ node: "second" }] });
  await fork.answer("second", { yes: false });
  expect(await fork.output()).toEqual({ both: false });
});

test("H45 a sleep is over when it was to be over, and a time limit begins again", async () => {
  const clock = new VirtualClock();
  const door = gate();
  const limited = op("limited", { timeout: { total: "10s" } }, async () => {
    did.push("limited");
    await door.opened;
    return { done: true };
  });
  const resting = graph("resting", (_input: Ref<{}>) => ({
    done: limited({}).done,
    slept: sleep("nap", "1m"),
  }));
  const engine = await stage([resting], { clock });
  await engine.start(resting, {}, { id: "origin" });
  await eventually("it sleeps", async () => (await engine.get("origin"))!.lastSeq >= 3);
  const at = (await engine.get("origin"))!.lastSeq;
  const due = (await historyOf(engine, "origin")).find(({ kind }) => kind === "timerSet")!.due!;
  await clock.advance(30_000);
  await engine.fork("origin", { at, id: "fork" });
  await eventually("its op runs again", () => did.length === 2);
  const entries = await historyOf(engine, "fork");
  expect(entries.find(({ kind }) => kind === "timerSet")?.due).toBe(due);
  await eventually("its limit is set", async () =>
    (await historyOf(engine, "fork")).some(
      ({ kind, due: limit }) => kind === "deadlineSet" && limit === clock.now() + 10_000,
    ),
  );
  door.open();
  await eventually("the op is through", async () => (await engine.get("fork"))?.finished["limited"] === 1);
  await clock.advance(30_000);
  await eventually("it woke", async () => (await engine.get("fork"))?.status === "completed");
  expect((await engine.get("fork"))?.output).toEqual({ done: true, slept: undefined });
});

test("H45 an unsafe op that was under way runs in the fork, which has not begun it; after a crash of the fork it does not again", async () => {
  const send = op("send", { effect: "unsafe" }, async () => {
    did.push("send");
    if (did.length === 1) return forever();
    return { sent: true };
  });
  const sending = graph("sending", (_input: Ref<{}>) => ({ sent: send({}).sent }));
  const backend = memory();
  const engine = await stage([sending], { backend });
  await engine.start(sending, {}, { id: "origin" });
  await eventually("it sends", () => did.length === 1);
  const fork = await engine.fork("origin", { id: "fork" });
  expect(await fork.output()).toEqual({ sent: true });
  expect(did).toEqual(["send", "send"]);
  const recording = await recordingOf(backend, "fork");
  const result = await resumedOn(await crashedBehind(recording, 1), sending);
  expect(result).toMatchObject({ status: "failed", errors: [{ code: "UnsafeInFlight" }] });
});

test("a failed attempt counts, and the next one is the second", async () => {
  const clock = new VirtualClock();
  const attempts: number[] = [];
  const shaky = op(
    "shaky",
    { retry: { attempts: 2, initial: 60_000, jitter: "none", on: () => true } },
    async (_: {}, ctx) => {
      attempts.push(ctx.attempt);
      if (attempts.length === 1) throw new Error("no answer");
      return { ok: true };
    },
  );
  const trying = graph("trying", (_input: Ref<{}>) => ({ ok: shaky({}).ok }));
  const engine = await stage([trying], { clock });
  await engine.start(trying, {}, { id: "origin" });
  await eventually("it failed", async () => (await engine.get("origin"))!.lastSeq >= 2);
  const fork = await engine.fork("origin", { at: 2 });
  await clock.advance(60_000);
  expect(await fork.output()).toEqual({ ok: true });
  expect(attempts).toContain(2);
});

test("a generator that was under way makes its items again, which must be those that are kept", async () => {
  let word = "item";
  const door = gate();
  const make = op("make", async function* () {
    did.push("make");
    const mine = word;
    for (let k = 0; k < 4; k++) {
      if (k === 2) await door.opened;
      yield { text: `${mine} ${k}` };
    }
  });
  const shout = op("shout", async ({ text }: { text: string }) => {
    did.push(`shout ${text}`);
    return { loud: text.toUpperCase() };
  });
  const shouting = graph("shouting", (_input: Ref<{}>) => ({ all: collect(shout({ text: make({}).text }).loud) }));
  const engine = await stage([shouting]);
  await engine.start(shouting, {}, { id: "origin" });
  await eventually("two items are through", async () => (await engine.get("origin"))?.finished["shout"] === 2);
  did = [];
  const fork = await engine.fork("origin");
  await eventually("it makes items again", () => did.includes("make"));
  word = "thing";
  const strange = await engine.fork("origin");
  expect((await strange.result()).errors).toMatchObject([{ code: "NonDeterministicResume" }]);
  word = "item";
  await engine.cancel("origin");
  door.open();
  expect(await fork.output()).toEqual({ all: ["ITEM 0", "ITEM 1", "ITEM 2", "ITEM 3"] });
  expect(did.filter((line) => line.startsWith("shout"))).toEqual(["shout item 2", "shout item 3"]);
});

const fetched = op("fetched", async ({ url }: { url: string }) => {
  did.push(`fetch ${url}`);
  await Promise.resolve();
  return { html: `<${url}>` };
});
const parsed = op("parsed", async ({ html }: { html: string }) => {
  did.push(`parse ${html}`);
  await Promise.resolve();
  return { title: html.toUpperCase() };
});
/** One item at a time is open: what comes behind one that runs again has to wait, and is kept. */
const narrow = graph("narrow", (input: Ref<{ urls: string[] }>) => {
  const page = fetched({ url: each(input.urls) }, { buffer: 1 });
  return { titles: collect(parsed({ html: page.html }, { buffer: 1 }).title) };
});

test("R15 what has to wait for something that runs again is kept all the same, also over a crash at any record", async () => {
  const backend = memory();
  const engine = await stage([narrow], { backend });
  await engine.run(narrow, { urls: ["a", "b", "c"] }, { id: "origin" });
  did = [];
  const patch = { outputs: { "narrow/input.urls[0]/fetched": { html: "<x>" } } };
  const fork = await engine.fork("origin", { patch, id: "fork" });
  const output = { titles: ["<X>", "<B>", "<C>"] };
  expect(await fork.output()).toEqual(output);
  expect(did).toEqual(["parse <x>"]);
  const entries = await historyOf(engine, "fork");
  const kept = entries.filter(({ kind }) => kind === "kept");
  expect(kept.map(({ of, path }) => [of, path])).toEqual([
    ["output", "narrow/input.urls[1]/fetched"],
    ["output", "narrow/input.urls[1]/parsed"],
    ["output", "narrow/input.urls[2]/fetched"],
    ["output", "narrow/input.urls[2]/parsed"],
  ]);
  const recording = await recordingOf(backend, "fork");
  const first = kept.at(-1)!.seq;
  for (let cut = first; cut < recording.records.length; cut++) {
    did = [];
    expect(await resumedOn(await crashedBehind(recording, cut), narrow)).toMatchObject({ status: "completed", output });
    expect([cut, did.filter((line) => line !== "parse <x>")]).toEqual([cut, []]);
  }
  // A fork of that while it waits keeps it too.
  did = [];
  const again = await engine.fork("fork", { at: first });
  expect(await again.output()).toEqual(output);
  expect(did).toEqual(["parse <x>"]);
});
