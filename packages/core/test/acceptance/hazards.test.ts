/** Faults of durable engines that no other file here is about, one test each. */
import { onTestFinished, expect, test } from "vitest";
import { z } from "zod";
import {
  each,
  collect,
  append,
  cell,
  derive,
  fallback,
  graph,
  interrupt,
  loop,
  memory,
  op,
  openEngine,
  push,
  race,
  read,
  sleep,
  when,
  type Engine,
  type EngineOptions,
  type Ref,
} from "../../src/index.ts";
import { planOf } from "../../src/build/plan-of.ts";
import { encode } from "../../src/journal/codec/codec.ts";
import { rebuildRun } from "../../src/journal/rebuild.ts";
import { openInvocations } from "../../src/state/invocations.ts";
import { nodePath } from "../../src/state/path.ts";
import type { RunState } from "../../src/state/run-state.ts";
import { afterCrash, crashEverywhere, open, undisturbed } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { crashedBehind } from "./support/journal.ts";

const fetched = op("fetched", { async: true }, async ({ n }: { n: number }) => {
  await new Promise((done) => setTimeout(done, n % 3));
  return { n: n + 1 };
});
const failing = op("failing", ({ n }: { n: number }): { n: number } => {
  throw Object.assign(new TypeError(`no ${n}`), { code: "E_NO" });
});
const log = cell("log", append<number>());

/** Items in parallel, a cell in arrival order, a decision, a loop and a fallback. */
const busy = graph("busy", (input: Ref<{ ns: number[] }>) => {
  const got = fetched({ n: each(input.ns) }, { parallel: 3 });
  const pushed = push(log, got.n);
  const sum = loop("grow", { max: 10 }, { n: 1 }, (state) => {
    const next = fetched({ n: state.n }, { name: "step" });
    return { next: { n: next.n }, until: derive(next.n, (n) => n > 3) };
  });
  const safe = fallback(
    "safe",
    () => ({ n: failing({ n: sum.n }).n }),
    (error) => ({ n: derive(error.message, (message) => message.length) }),
  );
  return { all: collect(got.n), log: read(log, { after: [pushed] }), n: safe.n };
});

/** What a run is, as text, but for what its bodies are doing: open invocations in their order, cells, and where it stands. */
function digest(run: RunState): string {
  const open = openInvocations(run).map(({ context, slot, attempt, yielded }) => [
    nodePath(run.program.plan, context, slot.id),
    attempt,
    yielded,
  ]);
  return encode([open, run.cells?.map((state) => state.read()) ?? [], run.end?.status ?? "open", run.inFlight]);
}

test("H31 H32 after every record the replayed state is the one that was live, and nothing starts before the last of them", async () => {
  const live = new Map<number, string>();
  const backend = memory();
  const engine = await open({ backend, check: (run) => live.set(run.seq, digest(run)) });
  await (await engine.start(busy, { ns: [3, 1, 4, 1, 5] }, { id: "run" })).result();
  const row = await backend.get("run");
  const replayed = new Map<number, string>();
  const plan = planOf(busy);
  const { run } = await rebuildRun(backend, row!, plan, {
    allowGraphChange: false,
    owned: true,
    probe: null,
    check: (state) => replayed.set(state.seq, digest(state)),
  });
  expect(run.effects.empty).toBe(true);
  expect(replayed.size).toBeGreaterThan(8);
  const both = [...replayed].filter(([seq]) => live.has(seq));
  expect(both).toEqual(both.map(([seq]) => [seq, live.get(seq)]));
});

test("H32 at every crash, bodies start only when the whole journal was replayed", async () => {
  const { recording } = await undisturbed(busy, { ns: [3, 1, 4, 1, 5] });
  for (let cut = 1; cut < recording.records.length; cut += 3) {
    const events: string[] = [];
    await afterCrash(recording, cut, busy, {
      check: (run) => events.push(run.replaying ? "replayed" : "stepped"),
      observer: { attemptStarted: () => events.push("started") },
    });
    expect(events.lastIndexOf("replayed")).toBeLessThan(
      events.includes("started") ? events.indexOf("started") : Infinity,
    );
  }
});

test("H33 two calls of one op in arms, items, iterations and subgraphs never share a path or a key", async () => {
  const keys: string[] = [];
  const told = op("told", (_: { n: number }, ctx) => {
    keys.push(`${ctx.path} ${ctx.idempotencyKey}`);
    return { n: 1 };
  });
  const pair = op("pair", ({ n }: { n: number }) => ({ both: [n, n + 1] }));
  const inner = graph("inner", (input: Ref<{ n: number }>) => ({ n: told({ n: input.n }).n }));
  const many = graph("many", (input: Ref<{ ns: number[] }>) => {
    const item = told({ n: each(input.ns) });
    const nested = told({ n: each(pair({ n: item.n }).both) }, { name: "nested" });
    const once = inner({ n: 1 });
    const twice = inner({ n: 2 }, { name: "innerAgain" });
    const arm = when(
      "which",
      derive(once.n, (n) => n === 1),
      () => told({ n: 1 }),
      () => told({ n: 2 }),
    );
    const turns = loop("turns", { max: 3, onLimit: "exit" }, { n: 0 }, (state) => ({
      next: { n: told({ n: state.n }).n },
      until: derive(state.n, () => false),
    }));
    return { a: collect(nested.n), b: twice.n, c: arm.n, d: turns.n };
  });
  const engine = await open();
  await engine.run(many, { ns: [1, 2, 3] });
  await engine.run(many, { ns: [1] });
  expect(keys.length).toBe(3 + 6 + 2 + 1 + 3 + (1 + 2 + 2 + 1 + 3));
  expect(new Set(keys.map((line) => line.split(" ")[1])).size).toBe(keys.length);
});

test("H34 P3.7 an op that was renamed or swapped is never given another one's record: the resume is refused naming both sides", async () => {
  const a = op("a", ({ n }: { n: number }) => ({ n: n + 1 }));
  const b = op("b", ({ n }: { n: number }) => ({ n: n * 10 }));
  const before = graph("flow", (input: Ref<{ n: number }>) => ({ n: b({ n: a({ n: input.n }).n }).n }));
  const swapped = graph("flow", (input: Ref<{ n: number }>) => ({ n: a({ n: b({ n: input.n }).n }).n }));
  const renamed = graph("flow", (input: Ref<{ n: number }>) => ({ n: b({ n: a({ n: input.n }, { name: "c" }).n }).n }));
  const { recording } = await undisturbed(before, { n: 1 });
  for (const changed of [swapped, renamed]) {
    const engine = await open({ backend: await crashedBehind(recording, 2), graphs: [changed] });
    await expect(engine.resume("run")).rejects.toMatchObject({
      code: "FingerprintMismatch",
      message: expect.stringContaining(planOf(before).fingerprint),
    });
  }
});

test("H35 a fingerprint is of what a journal depends on: not of policies, schemas, key order or source text", () => {
  const shaped = (options: object, version?: string): string => {
    const a = op(
      "a",
      { ...options, ...(version === undefined ? {} : { version }) },
      async ({ n, m }: { n: number; m: number }) => ({
        n: n + m,
      }),
    );
    return planOf(graph("g", (input: Ref<{ n: number }>) => ({ n: a({ n: input.n, m: 1 }).n }))).fingerprint;
  };
  const plain = shaped({});
  const reordered = op("a", async ({ m, n }: { n: number; m: number }) => ({ n: m + n }));
  expect(
    planOf(graph("g", (input: Ref<{ n: number }>) => ({ n: reordered({ m: 1, n: input.n }).n }))).fingerprint,
  ).toBe(plain);
  expect(shaped({ retry: { attempts: 3 }, timeout: { run: "1s" }, cache: { ttl: "1m" } })).toBe(plain);
  expect(shaped({ input: z.object({ n: z.number(), m: z.number() }) })).toBe(plain);
  expect(shaped({}, "2")).not.toBe(plain);
  expect(shaped({ effect: "pure" })).not.toBe(plain);
});

test("H41 the handler of a failure sees the same error live and replayed, stack and all", async () => {
  const seen = op("seen", ({ error }: { error: unknown }) => ({ text: encode(error) }));
  const caught = graph("caught", (input: Ref<{ n: number }>) =>
    fallback(
      "safe",
      () => ({ text: derive(failing({ n: input.n }).n, String) }),
      (error) => ({ text: seen({ error }).text }),
    ),
  );
  let texts = 0;
  await crashEverywhere(caught, { n: 7 }, ({ result }, survey) => {
    expect(result).toMatchObject({ status: "completed", output: (survey.result as { output: object }).output });
    texts++;
  });
  expect(texts).toBeGreaterThan(2);
});

test("H39 a generator's finally runs when it is cancelled, and what it gave until then is there", async () => {
  const cleaned: string[] = [];
  const endless = op("endless", async function* () {
    try {
      for (let n = 0; ; n++) {
        yield { n };
        await new Promise((done) => setTimeout(done, 1));
      }
    } finally {
      cleaned.push("closed");
    }
  });
  const flow = graph("flow", () => ({ all: fetched({ n: endless().n }).n }));
  const engine = await open({ backend: memory() });
  const handle = await engine.start(flow, {}, { id: "r" });
  const items: unknown[] = [];
  for await (const item of handle.items("all")) if (items.push(item) === 3) break;
  expect(await handle.cancel()).toMatchObject({ status: "cancelled" });
  await eventually(() => expect(cleaned).toEqual(["closed"]));
  expect(items).toEqual([1, 2, 3]);
  expect((await engine.get("r"))?.finished["fetched"]).toBeGreaterThanOrEqual(3);
});

test("H58 when a race is decided nothing of the loser can wake the run: no timer, no question, no body", async () => {
  const flow = graph("flow", () => {
    const won = race("first", {
      fast: () => ({ n: fetched({ n: 1 }).n }),
      slow: () => {
        const nap = sleep("nap", "1h");
        return { n: fetched({ n: 2 }, { after: [nap] }).n };
      },
      asked: () => ({ n: interrupt("ask", {}, { answer: z.number(), timeout: "2h" }) }),
    });
    return { won: won.n };
  });
  const backend = memory();
  const engine = await open({ backend });
  const handle = await engine.start(flow, {}, { id: "r" });
  expect(await handle.result()).toMatchObject({ status: "completed" });
  expect(await backend.get("r")).toMatchObject({ wakeAt: null, owner: null });
  expect(handle.interrupts()).toEqual([]);
  await expect(engine.answer("r", "ask", 1)).rejects.toMatchObject({ code: "RunEnded" });
});

test("H2 R12 the effects of a zombie and of its successor have one key, so that the far end can tell them", async () => {
  const effects: string[] = [];
  let gate = Promise.withResolvers<void>();
  const pay = op("pay", { async: true }, async (_: { n: number }, ctx) => {
    await gate.promise;
    effects.push(ctx.idempotencyKey);
    return { paid: true };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ paid: pay({ n: input.n }).paid }));
  const store = memory();
  const zombie = await openEngine({ backend: store, graphs: [flow], warn: () => undefined });
  onTestFinished(() => zombie.close());
  const running = zombie.start(flow, { n: 1 }, { id: "r" }).then((handle) => handle.result());
  const lost = running.catch((error: unknown) => error);
  await eventually(async () => expect((await store.get("r"))?.status).toBe("running"));
  await store.abandon();
  const next = await open({ backend: store.another(), graphs: [flow] });
  const [handle] = next.recovered;
  gate.resolve();
  expect(await handle!.result()).toMatchObject({ status: "completed" });
  expect(await lost).toMatchObject({ code: "LeaseLost" });
  expect(effects).toHaveLength(2);
  expect(new Set(effects).size).toBe(1);
  gate = Promise.withResolvers<void>();
});

test("H5 H4 an engine whose clock jumps an hour either way keeps its runs, and nobody else takes them", async () => {
  let skew = 0;
  const clock: NonNullable<EngineOptions["clock"]> = {
    now: () => Date.now() + skew,
    monotonic: () => performance.now(),
    timer: (ms, callback) => {
      const handle = setTimeout(callback, ms);
      return () => clearTimeout(handle);
    },
    background: (ms, callback) => {
      const handle = setTimeout(callback, ms);
      return () => clearTimeout(handle);
    },
    defer: (callback) => void setImmediate(callback),
  };
  const gate = Promise.withResolvers<void>();
  let bodies = 0;
  const held = op("held", { async: true }, async () => {
    bodies++;
    await gate.promise;
    return { ok: true };
  });
  const flow = graph("flow", () => ({ ok: held().ok }));
  const store = memory();
  const jumping = await open({ backend: store, graphs: [flow], clock, poll: 5 });
  const steady: Engine = await open({ backend: store.another(), graphs: [flow], poll: 5 });
  const handle = await jumping.start(flow, {}, { id: "r" });
  for (const jump of [3_600_000, -3_600_000]) {
    skew = jump;
    await new Promise((done) => setTimeout(done, 40));
    expect(await steady.get("r")).toMatchObject({ epoch: 1, status: "running" });
  }
  gate.resolve();
  expect(await handle.result()).toMatchObject({ status: "completed" });
  expect(bodies).toBe(1);
});

test("K9 R13 questions of parallel items, answered in any order from another process while others work: each goes on by itself", async () => {
  const gate = Promise.withResolvers<void>();
  const slow = op("slow", { async: true }, async () => {
    await gate.promise;
    return { ok: true };
  });
  const after = op("after", ({ n, said }: { n: number; said: string }) => ({ text: `${n} ${said}` }));
  const flow = graph("flow", (input: Ref<{ ns: number[] }>) => {
    const n = each(input.ns);
    const said = interrupt("ask", { n }, { answer: z.string() });
    return { texts: collect(after({ n, said }, { ordered: false }).text), ok: slow().ok };
  });
  const store = memory();
  const owner = await open({ backend: store, graphs: [flow], poll: 5 });
  const handle = await owner.start(flow, { ns: [0, 1, 2, 3] }, { id: "r" });
  await eventually(() => expect(handle.interrupts()).toHaveLength(4));
  const web = await open({ backend: store.another() });
  for (const n of [2, 0]) await web.answer("r", `flow/input.ns[${n}]/ask`, `said ${n}`);
  await eventually(async () => expect((await web.get("r"))?.finished["after"]).toBe(2));
  expect((await web.get("r"))?.status).toBe("running");
  gate.resolve();
  await eventually(async () => expect((await web.get("r"))?.status).toBe("interrupted"));
  expect((await store.get("r"))?.owner).toBeNull();
  for (const n of [3, 1]) await web.answer("r", `flow/input.ns[${n}]/ask`, `said ${n}`);
  await eventually(async () =>
    expect(await web.get("r")).toMatchObject({ output: { texts: ["0 said 0", "1 said 1", "2 said 2", "3 said 3"] } }),
  );
});

test("K10 an answer, a cancel and a time-out of one question at one moment: one wins, and all learn which", async () => {
  const outcomes: string[] = [];
  let answeredRuns = 0;
  let timedOut = 0;
  let cancelled = 0;
  for (let i = 0; i < 30; i++) {
    const flow = graph("flow", () => ({
      n: interrupt("ask", {}, { answer: z.number(), timeout: 20, default: -1 }),
    }));
    const store = memory();
    const owner = await open({ backend: store, graphs: [flow], poll: 5 });
    const handle = await owner.start(flow, {}, { id: "r" });
    const other = await open({ backend: store.another(), graphs: [flow], poll: 5 });
    await new Promise((done) => setTimeout(done, 12 + (i % 10)));
    const answer = other.answer("r", "ask", 7).then(
      () => "answered",
      (error: unknown) => (error as { code: string }).code,
    );
    const cancel = i % 3 === 0 ? other.cancel("r").catch((error: unknown) => (error as { code: string }).code) : null;
    const said = await answer;
    await cancel;
    await eventually(async () => expect(["completed", "cancelled"]).toContain((await owner.get("r"))?.status));
    const got = await owner.get("r");
    const result = await handle.result();
    expect(result.status).toBe(got?.status);
    if (got?.status === "cancelled") cancelled++;
    else outcomes.push(`${said}: ${JSON.stringify(got?.output)}`);
    if (said === "answered") answeredRuns++;
    else timedOut++;
    await owner.close();
    await other.close();
  }
  const right = /^(answered: \{"n":7\}|(InterruptAnswered|InterruptNotFound|RunEnded): \{"n":-1\})$/;
  expect(outcomes.filter((outcome) => !right.test(outcome))).toEqual([]);
  expect(answeredRuns + timedOut).toBe(30);
  expect(answeredRuns).toBeGreaterThan(0);
  expect(cancelled).toBeLessThanOrEqual(10);
});
