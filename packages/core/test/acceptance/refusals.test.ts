import { expect, test } from "vitest";
import { z } from "zod";
import {
  collect,
  each,
  graph,
  interrupt,
  memory,
  MillraceError,
  op,
  openEngine,
  type AnswerOptions,
  type EngineOptions,
  type Ref,
} from "../../src/index.ts";
import { open } from "./support/engines.ts";
import { effects } from "./support/files.ts";
import { forever } from "./support/gate.ts";

let hangs = true;
const ran: string[] = [];
const load = op("load", async ({ n }: { n: number }, ctx) => {
  ran.push(ctx.node);
  return { n: n + 1 };
});
const save = op("save", async ({ n }: { n: number }, ctx) => {
  ran.push(ctx.node);
  if (hangs) await forever();
  return { n: n * 10 };
});
const original = graph("flow", (input: Ref<{ n: number }>) => ({ n: save({ n: load({ n: input.n }).n }).n }));
/** The same nodes, and one more in front of them: all slot numbers differ. */
const changed = graph("flow", (input: Ref<{ n: number }>) => {
  const audit = load({ n: 100 }, { name: "audit" });
  return { n: save({ n: load({ n: input.n }).n }).n, audit: audit.n };
});
const renamed = graph("flow", (input: Ref<{ n: number }>) => ({
  n: save({ n: load({ n: input.n }, { name: "fetch" }).n }).n,
}));

/** A store with the run `r` of `original`, whose process died while `save` was in flight. */
async function orphaned(): Promise<ReturnType<typeof memory>> {
  const store = memory();
  hangs = true;
  // In hostile mode too: what is tried begins where it has stopped, however long a hand-over takes.
  const engine = await openEngine({ backend: store, warn: () => undefined });
  (await engine.start(original, { n: 1 }, { id: "r" })).result().catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 10));
  await engine.close();
  hangs = false;
  ran.length = 0;
  return store;
}

test("a changed graph: the run is not taken over, and resume is refused naming both fingerprints", async () => {
  const store = await orphaned();
  const engine = await open({ backend: store.another(), graphs: [changed] });
  expect(engine.recovered).toEqual([]);
  const refusal = await engine.resume("r").catch((error: unknown) => error as MillraceError);
  expect(refusal).toMatchObject({ code: "FingerprintMismatch" });
  expect((refusal as Error).message).toContain(original.plan.fingerprint);
  expect((refusal as Error).message).toContain(changed.plan.fingerprint);
  expect(ran).toEqual([]);
  expect(await engine.get("r")).toMatchObject({ status: "running", finished: { load: 1 } });
  expect((await engine.list({ status: ["running"] })).map(({ id }) => id)).toEqual(["r"]);
});

test("a changed graph, refused once, still resumes on the graph it was started on", async () => {
  const store = await orphaned();
  const wrong = await open({ backend: store.another(), graphs: [changed] });
  await wrong.resume("r").catch(() => undefined);
  const right = await open({ backend: store.another(), graphs: [original] });
  expect(await right.recovered[0]!.output()).toEqual({ n: 20 });
  expect(ran).toEqual(["save"]);
});

test("a changed graph with allowGraphChange continues where names match: what is finished does not run again, what is new runs", async () => {
  const store = await orphaned();
  const engine = await open({ backend: store.another(), graphs: [changed] });
  const handle = await engine.resume("r", { allowGraphChange: true });
  expect(await handle.output()).toEqual({ n: 20, audit: 101 });
  expect(ran.toSorted()).toEqual(["audit", "save"]);
});

test("a changed graph with allowGraphChange whose run crashes again is still readable and resumes again", async () => {
  const store = await orphaned();
  hangs = true;
  const engine = await open({ backend: store.another(), graphs: [changed] });
  (await engine.resume("r", { allowGraphChange: true })).result().catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 10));
  await engine.close();
  hangs = false;
  ran.length = 0;
  const next = await open({ backend: store.another(), graphs: [changed] });
  const handle = next.recovered[0] ?? (await next.resume("r", { allowGraphChange: true }));
  expect(await handle.output()).toEqual({ n: 20, audit: 101 });
  expect(ran).toEqual(["save"]);
  expect(await next.get("r")).toMatchObject({ status: "completed", finished: { load: 1, save: 1, audit: 1 } });
});

test("a changed graph in which a finished node has another name is refused even with allowGraphChange, naming what does not fit", async () => {
  const store = await orphaned();
  const engine = await open({ backend: store.another(), graphs: [renamed] });
  const refusal = await engine.resume("r", { allowGraphChange: true }).catch((error: unknown) => error as Error);
  expect(refusal).toMatchObject({ code: "JournalMismatch" });
  expect((refusal as Error).message).toContain("load");
  expect(ran).toEqual([]);
});

test("an unknown graph at resume names it, the graphs there are, and the nearest", async () => {
  const store = await orphaned();
  const flows = graph("flows", (input: Ref<{ n: number }>) => ({ n: load({ n: input.n }).n }));
  const engine = await open({ backend: store.another(), graphs: [flows] });
  await expect(engine.resume("r")).rejects.toMatchObject({
    code: "UnknownGraph",
    message: expect.stringMatching(/"flow".*flows.*did you mean "flows"/s),
  });
  await expect(engine.cancel("r")).rejects.toMatchObject({ code: "UnknownGraph" });
});

test("runs that are not there, have ended, or belong to a live engine are refused, each with its own code", async () => {
  const store = memory();
  hangs = true;
  const owner = await open({ backend: store });
  (await owner.start(original, { n: 1 }, { id: "alive" })).result().catch(() => undefined);
  hangs = false;
  await owner.run(original, { n: 1 }, { id: "done" });
  const other = await open({ backend: store.another(), graphs: [original] });
  for (const engine of [owner, other]) {
    await expect(engine.resume("nothing")).rejects.toMatchObject({
      code: "RunNotFound",
      message: expect.stringContaining("nothing"),
    });
    await expect(engine.cancel("nothing")).rejects.toMatchObject({ code: "RunNotFound" });
    await expect(engine.drain("nothing")).rejects.toMatchObject({ code: "RunNotFound" });
    expect(await engine.get("nothing")).toBeUndefined();
  }
  await expect(other.resume("done")).rejects.toMatchObject({
    code: "RunEnded",
    message: expect.stringContaining("completed"),
  });
  await expect(other.cancel("done")).rejects.toMatchObject({ code: "RunEnded" });
  await expect(other.resume("alive")).rejects.toMatchObject({ code: "RunElsewhere" });
  expect(await other.get("done")).toMatchObject({ status: "completed", output: { n: 20 } });
});

test.each(["", " ", "a b", "../x", "a/b", "ümlaut", "a\u0000", "x".repeat(129), "a.b"])(
  "a run id such as %j is refused before anything is written",
  async (id) => {
    const engine = await open({ backend: memory(), graphs: [original] });
    await expect(engine.start(original, { n: 1 }, { id })).rejects.toMatchObject({
      code: expect.stringMatching(/^Invalid/),
    });
    await expect(engine.run(original, { n: 1 }, { id })).rejects.toBeInstanceOf(MillraceError);
    expect(await engine.list()).toEqual([]);
  },
);

test("a closed engine refuses everything with EngineClosed, and closing twice is fine", async () => {
  const engine = await open({ backend: memory(), graphs: [original] });
  await engine.close();
  await engine.close();
  const calls: (() => Promise<unknown>)[] = [
    () => engine.run(original, { n: 1 }),
    () => engine.start(original, { n: 1 }),
    () => engine.resume("r"),
    () => engine.get("r"),
    () => engine.list(),
    () => engine.cancel("r"),
    () => engine.drain(),
    () => engine.drain("r"),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "EngineClosed" });
});

test.each<[string, object, RegExp]>([
  ["an unknown option", { backends: memory() }, /"backends".*known options.*backend/s],
  ["concurrency 0", { concurrency: 0 }, /concurrency.*0/],
  ["concurrency 1.5", { concurrency: 1.5 }, /concurrency.*1\.5/],
  ["concurrency as text", { concurrency: "4" }, /concurrency/],
  ["runConcurrency NaN", { runConcurrency: NaN }, /runConcurrency.*NaN/],
  ["errors: throw", { errors: "throw" }, /errors.*record or raise.*"throw"/],
  ["durability: full", { backend: memory(), durability: "full" }, /durability.*sync or async.*"full"/],
  ["durability without a backend", { durability: "async" }, /durability.*backend/],
  ["graphs that are not graphs", { graphs: [{}] }, /neither an op nor a graph/],
  ["two graphs of one name", { graphs: [original, changed] }, /two graphs are named "flow"/],
  ["a backend that is none", { backend: {} }, /backend/],
  ["a clock that is none", { clock: {} }, /clock/],
  ["a backend that is null", { backend: null }, /backend lacks open/],
  ["no options, but null", null as never, /^engine options must be an object, not null$/m],
  ["no options, but a graph", original, /^engine options must be an object, not a function$/m],
  ["a list of options", [], /^engine options must be an object, not a list$/m],
  ["a graph that is no list", { graphs: original }, /^graphs must be a list, not a function$/m],
  ["graphs that are null", { graphs: null }, /^graphs must be a list, not null$/m],
  ["traces that are null", { traces: null }, /^traces options must be an object, not null$/m],
  [
    "include that is no list",
    { traces: { sinks: [], include: "a" } },
    /^traces\.include must be a list of texts, not "a"$/m,
  ],
  [
    "exclude that is null",
    { traces: { sinks: [], exclude: null } },
    /^traces\.exclude must be a list of texts, not null$/m,
  ],
  ["an exclude of numbers", { traces: { sinks: [], exclude: ["a", 7] } }, /^traces\.exclude must be a list of texts$/m],
  ["limits that are null", { traces: { sinks: [], limits: null } }, /^traces\.limits must be an object, not null$/m],
  [
    "sinks that are null",
    { traces: { sinks: [null] } },
    /^traces\.sinks must be a list of objects with a write method$/,
  ],
])("wrong engine options fail at open: %s", async (_name, options, message) => {
  const refusal = await openEngine(options as EngineOptions).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(MillraceError);
  expect((refusal as Error).message).toMatch(message);
});

test.each([
  ["no graphs list", { graphs: original }, "openEngine({ graphs: [flow] })"],
  ["no exclude list", { traces: { sinks: [], exclude: "login" } }, 'exclude: ["login.input.password"]'],
  ["no options", null, "known options: backend, "],
])("a wrong engine option names the fix: %s", async (_name, options, fix) => {
  await expect(openEngine(options as never)).rejects.toMatchObject({
    code: "InvalidOption",
    hint: expect.stringContaining(fix) as string,
  });
});

test.each<[string, unknown, RegExp]>([
  ["an unknown option", { bye: "x" }, /no answer option "bye"; did you mean "by"\?$/m],
  ["by that is no text", { by: 7 }, /^by must be a text that says who answers, not 7$/m],
  ["by that is null", { by: null }, /^by must be a text that says who answers, not null$/m],
  ["null", null, /^answer options must be an object, not null$/m],
])("wrong options of an answer are refused, and the question stays open: %s", async (_name, options, message) => {
  const asks = graph("asks", (_input: Ref<{}>) => {
    const { ok } = interrupt("approve", {}, { answer: z.object({ ok: z.boolean() }) });
    return { ok };
  });
  for (const backend of [undefined, memory()]) {
    const engine = await open({ ...(backend !== undefined && { backend }) });
    const handle = await engine.start(asks, {}, { id: "r" });
    await handle.result();
    const refused = { code: "InvalidOption", message: expect.stringMatching(message) as string };
    const wrong = options as AnswerOptions;
    await expect(handle.answer("approve", { ok: true }, wrong)).rejects.toMatchObject(refused);
    await expect(engine.answer("r", "approve", { ok: true }, wrong)).rejects.toMatchObject(refused);
    expect(handle.interrupts()).toHaveLength(1);
    await engine.answer("r", "approve", { ok: true }, { by: "ann" });
    expect(await handle.output()).toEqual({ ok: true });
  }
});

test.each<[string, object, RegExp]>([
  ["null", null as never, /^run options must be an object, not null$/m],
  ["an unknown option", { ids: "r" }, /"ids"/],
  ["errors: throw", { errors: "throw" }, /errors.*"throw"/],
  ["a signal that is none", { signal: true }, /signal/],
])("wrong run options are refused before anything is written: %s", async (_name, options, message) => {
  const engine = await open({ backend: memory() });
  const refusal = await engine.start(original, { n: 1 }, options).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(MillraceError);
  expect((refusal as Error).message).toMatch(message);
  expect(await engine.list()).toEqual([]);
});

test("an input that breaks the graph's schema is refused naming the field, and leaves no run behind", async () => {
  const strict = graph("strict", { input: z.object({ n: z.number() }) }, (input) => ({ n: load({ n: input.n }).n }));
  const engine = await open({ backend: memory() });
  await expect(engine.run(strict, { n: "one" } as never)).rejects.toMatchObject({
    code: "InvalidValue",
    message: expect.stringMatching(/input of "strict".*n:/),
  });
  expect(await engine.list()).toEqual([]);
});

test("H66 starting twice with one id: nothing runs twice, and the second start is told so by name", async () => {
  for (const backend of [undefined, memory()]) {
    const bodies = effects();
    const count = op("count", async ({ n }: { n: number }) => {
      bodies.add(`body ${n}`);
      return { n };
    });
    const flow = graph("counted", (input: Ref<{ n: number }>) => ({ n: count({ n: input.n }).n }));
    const engine = await open(backend === undefined ? {} : { backend });
    const tries = await Promise.allSettled([1, 2, 3].map((n) => engine.start(flow, { n }, { id: "same" })));
    const [first, ...others] = tries;
    expect(first?.status).toBe("fulfilled");
    for (const other of others)
      expect(other).toMatchObject({ reason: { code: "RunExists", message: expect.stringContaining("same") } });
    expect(await (first as PromiseFulfilledResult<{ output(): Promise<unknown> }>).value.output()).toEqual({ n: 1 });
    expect(bodies.lines()).toEqual(["body 1"]);
  }
});

test("H66 the id of a run that has ended, or that another engine runs, stays taken", async () => {
  const store = memory();
  hangs = false;
  const one = await open({ backend: store });
  await one.run(original, { n: 1 }, { id: "same" });
  const two = await open({ backend: store.another() });
  for (const engine of [one, two])
    await expect(engine.start(original, { n: 2 }, { id: "same" })).rejects.toMatchObject({ code: "RunExists" });
  expect(await two.get("same")).toMatchObject({ output: { n: 20 } });
});

test("R23 a run can be read at any moment while it runs, with what has finished by then, and never looks damaged", async () => {
  const step = op("step", async ({ n }: { n: number }) => {
    await new Promise((resolve) => setImmediate(resolve));
    return { n };
  });
  const flow = graph("reading", (input: Ref<{ xs: number[] }>) => ({
    all: collect(step({ n: each(input.xs) }, { parallel: 2 }).n),
  }));
  const engine = await open({ backend: memory() });
  const handle = await engine.start(flow, { xs: Array.from({ length: 300 }, (_, i) => i) }, { id: "r" });
  const run = { over: false };
  void handle.result().then(() => (run.over = true));
  const seen = new Set<number>();
  while (!run.over) {
    const info = await engine.get("r");
    seen.add(info?.finished["step"] ?? 0);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await engine.get("r")).toMatchObject({ status: "completed", finished: { step: 300 } });
  expect(seen.size).toBeGreaterThan(2);
});
