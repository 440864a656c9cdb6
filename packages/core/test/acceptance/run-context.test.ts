import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  callerContext,
  collect,
  currentRun,
  each,
  graph,
  memory,
  op,
  provide,
  resource,
  type LogEntry,
  type OpCtx,
  type Ref,
} from "../../src/index.ts";
import { newAsyncStorage } from "../../src/ports/system.ts";
import { VirtualClock } from "./support/clock.ts";
import { open } from "./support/engines.ts";

const Caller = callerContext("caller", z.object({ user: z.string() }));
const Db = resource<{ rows: number }>("db");

const fields = [
  "runId",
  "thread",
  "graph",
  "node",
  "path",
  "attempt",
  "deadline",
  "idempotencyKey",
  "signal",
  "log",
  "context",
  "resources",
  "traceId",
  "labels",
] as const;

afterEach(() => vi.unstubAllEnvs());

test("R22 a body is told run, graph, node, path, attempt, deadline, key, signal, caller and resources", async () => {
  const clock = new VirtualClock();
  const look = op(
    "look",
    { context: Caller, needs: { db: Db }, timeout: { run: "30s" }, retry: { attempts: 2, on: () => true } },
    async ({ x }: { x: string }, ctx) => {
      if (ctx.attempt === 1) throw new Error("again");
      const { runId, thread, graph, node, path, attempt, context, resources, idempotencyKey } = ctx;
      const left = (ctx.deadline ?? 0) - clock.now();
      const key = idempotencyKey.length;
      return {
        x,
        runId,
        thread,
        graph,
        node,
        path,
        attempt,
        context,
        resources,
        left,
        key,
        aborted: ctx.signal.aborted,
      };
    },
  );
  const inner = graph("inner", (input: Ref<{ xs: string[] }>) => look({ x: each(input.xs) }));
  const flow = graph("flow", (input: Ref<{ xs: string[] }>) => ({ all: collect(inner({ xs: input.xs })) }));
  const engine = await open({ clock, resources: [provide(Db, { rows: 3 })] });
  const { all } = await clock.until(engine.run(flow, { xs: ["a"] }, { id: "r-1", context: { user: "ada" } }));
  expect(all).toEqual([
    {
      x: "a",
      runId: "r-1",
      thread: undefined,
      graph: "flow",
      node: "inner/look",
      path: "flow/inner/input.xs[0]/inner/look",
      attempt: 2,
      context: { user: "ada" },
      resources: { db: { rows: 3 } },
      left: 30_000,
      key: 32,
      aborted: false,
    },
  ]);
});

test("R22 nothing in it can be assigned", async () => {
  const seen: string[] = [];
  const look = op("look", { needs: { db: Db } }, (_input: object, ctx) => {
    for (const field of fields) {
      expect(() => Object.assign(ctx, { [field]: "mine" }), field).toThrow(TypeError);
      seen.push(field);
    }
    expect(() => Object.assign(ctx.resources, { db: { rows: 4 } })).toThrow(TypeError);
    return { attempt: ctx.attempt };
  });
  const engine = await open({ resources: [provide(Db, { rows: 3 })] });
  expect(await engine.run(look, {})).toEqual({ attempt: 1 });
  expect(seen).toEqual([...fields]);
});

async function deepDown(): Promise<string | undefined> {
  await new Promise((resolve) => setTimeout(resolve, 1));
  return currentRun()?.path;
}

const where = op("where", async ({ x }: { x: number }) => ({ x, path: (await deepDown()) ?? "nowhere" }));
const validated = op("validated", { output: z.object({ path: z.string() }) }, async ({ x }: { x: number }) => ({
  path: `${x} ${await deepDown()}`,
}));
const inline = op("inline", ({ x }: { x: number }) => ({ path: `${x} ${currentRun()?.path}` }));
const ended: (string | undefined)[] = [];
const stream = op("stream", async function* ({ x }: { x: number }) {
  try {
    yield { path: `${x} ${await deepDown()}` };
    yield { path: `${x} ${currentRun()?.path}` };
  } finally {
    ended.push(currentRun()?.path);
  }
});
const sync = op("sync", function* ({ x }: { x: number }) {
  yield { path: `${x} ${currentRun()?.path}` };
});
const everywhere = graph("everywhere", (input: Ref<{ xs: number[] }>) => ({
  where: collect(where({ x: each(input.xs) }, { parallel: 2 }).path),
  validated: validated({ x: 0 }).path,
  inline: inline({ x: 0 }).path,
  stream: collect(stream({ x: 0 }).path),
  sync: collect(sync({ x: 0 }).path),
}));

test("R22 with asyncContext currentRun() is the ctx of the body that asks, through calls, promises, schemas and generators", async () => {
  const engine = await open({ asyncContext: true });
  ended.length = 0;
  expect(await engine.run(everywhere, { xs: [1, 2] })).toEqual({
    where: ["everywhere/input.xs[0]/where", "everywhere/input.xs[1]/where"],
    validated: "0 everywhere/validated",
    inline: "0 everywhere/inline",
    stream: ["0 everywhere/stream", "0 everywhere/stream"],
    sync: ["0 everywhere/sync"],
  });
  expect(ended).toEqual(["everywhere/stream"]);
  expect(currentRun()).toBeUndefined();
});

test("R22 it is the very ctx that the body was given", async () => {
  const engine = await open({ asyncContext: true });
  let given: OpCtx | undefined;
  let found: unknown;
  const look = op("look", async (_input: object, ctx) => {
    given = ctx;
    await Promise.resolve();
    found = currentRun();
    return {};
  });
  await engine.run(look, {});
  expect(found).toBe(given);
  expect(found).toBeDefined();
});

test("R22 outside of a run, between bodies, and in an engine that was not asked for it, it is undefined and nothing is followed", async () => {
  expect(currentRun()).toBeUndefined();
  const run = vi.spyOn(AsyncLocalStorage.prototype, "run");
  const engine = await open();
  expect((await engine.run(everywhere, { xs: [1] })).where).toEqual(["nowhere"]);
  expect(run).not.toHaveBeenCalled();
  run.mockRestore();
  const followed = await open({ asyncContext: true, backend: memory() });
  const folded: unknown[] = [];
  const flow = graph("flow", () => {
    const { path } = where({ x: 1 });
    return { path };
  });
  const handle = await followed.start(flow, {});
  void handle.result().then(() => folded.push(currentRun()));
  await handle.result();
  expect(folded).toEqual([undefined]);
});

test("a host without AsyncLocalStorage has no storage to follow bodies with, and asyncContext is a boolean", async () => {
  vi.stubGlobal("process", { env: {} });
  expect(newAsyncStorage()).toBeNull();
  vi.stubGlobal("process", undefined);
  expect(newAsyncStorage()).toBeNull();
  vi.unstubAllGlobals();
  await expect(open({ asyncContext: "yes" as never })).rejects.toThrow("asyncContext must be true or false");
});

const chatty = op("chatty", ({ x }: { x: string }, ctx) => {
  ctx.log.debug("looking");
  ctx.log.info("found", { x });
  ctx.log.warn("odd");
  ctx.log.error("bad", new Error("why"));
  return {};
});

test("ctx.log writes lines with run, path and attempt, from the level that the engine says", async () => {
  const clock = new VirtualClock();
  const lines: LogEntry[] = [];
  const engine = await open({ clock, log: (entry) => lines.push(entry), logLevel: "info" });
  await engine.run(chatty, { x: "a" }, { id: "r-1" });
  const origin = { runId: "r-1", path: "chatty/chatty", attempt: 1, at: clock.start };
  expect(lines).toEqual([
    { level: "info", message: "found", data: { x: "a" }, ...origin },
    { level: "warn", message: "odd", ...origin },
    { level: "error", message: "bad", data: new Error("why"), ...origin },
  ]);
});

test.each([
  [undefined, ["warn", "error"]],
  ["debug", ["debug", "info", "warn", "error"]],
  ["off", []],
  ["", ["warn", "error"]],
])("F26 the level is that of MILLRACE_LOG, which is %j, and warn by default", async (variable, levels) => {
  vi.stubEnv("MILLRACE_LOG", variable);
  const lines: LogEntry[] = [];
  const engine = await open({ log: (entry) => lines.push(entry) });
  await engine.run(chatty, { x: "a" });
  expect(lines.map(({ level }) => level)).toEqual(levels);
});

test("F26 a level that does not exist is said once, and warn is used", async () => {
  vi.stubEnv("MILLRACE_LOG", "loud");
  const lines: string[] = [];
  await open({ log: ({ message }) => lines.push(message) });
  expect(lines).toEqual(["millrace: MILLRACE_LOG=loud is not a level; it is one of debug, info, warn, error, off"]);
  await expect(open({ logLevel: "loud" as never })).rejects.toMatchObject({ code: "InvalidOption" });
});

test("F26 lines go to stderr and none to stdout, at every level", async () => {
  const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const console_ = (["log", "info", "debug", "warn", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockReturnValue(undefined),
  );
  const engine = await open({ logLevel: "debug" });
  await engine.run(chatty, { x: "a" }, { id: "r-1" });
  const [log, info, debug, warn, error] = console_.map(({ mock }) => mock.calls);
  vi.restoreAllMocks();
  expect([log, info, debug]).toEqual([[], [], []]);
  expect(out).not.toHaveBeenCalled();
  expect(warn?.[1]).toEqual(["millrace info chatty/chatty (run r-1, attempt 1): found", { x: "a" }]);
  expect(error).toHaveLength(1);
});

test("a log that throws fails nothing", async () => {
  const engine = await open({
    log: () => {
      throw new Error("disk full");
    },
  });
  expect(await engine.run(chatty, { x: "a" })).toEqual({});
});
