/**
 * Bodies, generators, schemas, stores and workers that reject when nobody waits for them any more: after a cancel, a
 * time-out, a lost race, a sweep, a fallback, the end of the engine. Nothing here listens to `unhandledRejection`: one that
 * the engine forgot ends this process with an error. Prints what each came to.
 */
import { setTimeout as sleep } from "node:timers/promises";
import {
  collect,
  each,
  fallback,
  graph,
  memory,
  op,
  openEngine,
  race,
  sweep,
  type CacheStore,
  type OpCtx,
  type Ref,
  type StandardSchemaV1,
} from "../../../src/index.ts";
import { workerPool } from "../../../src/node/index.ts";
import { cpu } from "../matrix/subjects.ts";

const lateMs = 30;

async function lateError(label: string): Promise<never> {
  await sleep(lateMs);
  throw new Error(`${label} came too late`);
}

/** Rejects some time after it was aborted. */
async function deaf(ctx: OpCtx, label: string): Promise<{ v: string }> {
  await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve, { once: true }));
  return lateError(label);
}

interface Input {
  readonly x: string;
}

const slow = op("slow", async (_i: Input, ctx) => deaf(ctx, "slow"));
const timed = op("timed", { timeout: { run: 5 } }, async (_i: Input, ctx) => deaf(ctx, "timed"));
const kept = op("kept", { cache: { ttl: "1h" } }, async (_i: Input, ctx) => deaf(ctx, "kept"));
const quick = op("quick", async (_i: Input) => {
  await sleep(5);
  return { v: "quick", yes: true };
});
const no = op("no", async (_i: Input): Promise<{ v: string }> => {
  await sleep(5);
  throw new Error("no");
});
const lateSchema: StandardSchemaV1<Input> = {
  "~standard": { version: 1, vendor: "test", validate: () => lateError("schema") },
};
const validated = op("validated", { input: lateSchema, timeout: { run: 5 } }, async ({ x }) => ({ v: x }));

const items = op("items", { timeout: { idle: 5 } }, async function* (_i: Input, ctx) {
  try {
    yield { v: "a" };
    await deaf(ctx, "items");
  } finally {
    await lateError("the generator's finally");
  }
});
/** An iterator of its own, whose `return` rejects at once and whose `next` rejects late. */
const rude = op("rude", { stream: true }, (_i: Input) => {
  const iterator = {
    next: () => lateError("next"),
    return: () => Promise.reject(new Error("return")),
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator as unknown as AsyncGenerator<{ v: string }>;
});

const raced = graph("raced", (input: Ref<Input>) => ({
  v: race("first", { slow: () => ({ v: slow({ x: input.x }).v }), quick: () => ({ v: quick({ x: input.x }).v }) }).v,
}));
const caught = graph("caught", (input: Ref<Input>) => ({
  v: fallback(
    "safe",
    () => ({ a: slow({ x: input.x }).v, v: no({ x: input.x }).v }),
    () => ({ a: "", v: "handled" }),
  ).v,
}));
const swept = graph("swept", (input: Ref<{ x: string; xs: string[] }>) => {
  const item = each(input.xs);
  const worked = slow({ x: item }, { parallel: 2 });
  sweep("stop", { on: quick({ x: input.x }).yes, cancel: [item] });
  return { v: collect(worked.v) };
});
const listed = graph("listed", (input: Ref<Input>) => ({ v: collect(items({ x: input.x }).v) }));
const rudely = graph("rudely", (input: Ref<Input>) => ({ v: collect(rude({ x: input.x }).v) }));

const brokenStore: CacheStore = {
  get: () => lateError("get"),
  set: () => lateError("set"),
  delete: () => lateError("delete"),
};

const x = { x: "x" };
const pool = workerPool({ module: new URL("../matrix/subjects.ts", import.meta.url), threads: 1 });

for (const durable of [false, true]) {
  const backend = durable ? { backend: memory() } : {};
  const engine = await openEngine({ ...backend, cpu: pool, cache: brokenStore, warn: () => undefined });
  const say = (what: string, status: string): boolean => process.stdout.write(`${what} ${status}\n`);
  const ended = async (what: string, run: Promise<{ result(): Promise<{ status: string }> }>): Promise<void> =>
    void say(what, (await (await run).result()).status);

  await ended("raced", engine.start(raced, x));
  await ended("caught", engine.start(caught, x));
  await ended("swept", engine.start(swept, { ...x, xs: ["a", "b"] }));
  await ended("timed", engine.start(timed, x));
  await ended("validated", engine.start(validated, x));
  await ended("listed", engine.start(listed, x));
  const hanging = [
    await engine.start(cpu, { x: "x", act: "hang" }),
    await engine.start(slow, x),
    await engine.start(kept, x),
    await engine.start(kept, x),
    await engine.start(listed, x),
    await engine.start(rudely, x),
  ];
  await sleep(10);
  // Some may have failed by themselves by now, which is as good.
  for (const run of hanging) await run.cancel();
  say("cancelled", String(hanging.length));
  await sleep(2 * lateMs);

  // A run whose engine goes: its waiters are told, its bodies reject later.
  const left = await engine.start(slow, x);
  const told = left.result().then(
    ({ status }) => status,
    (error: { code: string }) => error.code,
  );
  await sleep(5);
  await engine.close();
  process.stdout.write(`left ${await told}\n`);
  await sleep(2 * lateMs);
}

// Neither an engine nor idle workers that nobody closed keep the process.
const open = await openEngine({ cpu: pool });
await open.run(cpu, { x: "x", act: "ok" });
await (await open.start(slow, x)).cancel();
process.stdout.write("alive\n");
