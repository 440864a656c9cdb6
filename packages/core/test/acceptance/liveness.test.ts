import { expect, test } from "vitest";
import { z } from "zod";
import {
  collect,
  each,
  graph,
  interrupt,
  loop,
  derive,
  memory,
  op,
  race,
  reduce,
  sleep,
  type Ref,
  type RunStream,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { Child } from "./support/child.ts";
import { CountingClock } from "./support/counting-clock.ts";
import { open } from "./support/engines.ts";
import { eventually, forever } from "./support/gate.ts";

let working = 0;
/** Never settles, and never looks at its signal. */
async function deaf(): Promise<{ v: string }> {
  working++;
  return forever();
}

const body = op("body", async (_i: { x: string }) => deaf());
const again = op(
  "again",
  { retry: { attempts: 9, initial: "1h", on: () => true } },
  async (_i: { x: string }): Promise<{ v: string }> => {
    working++;
    throw new Error("later");
  },
);
const timed = op("timed", { timeout: { run: "1h" } }, async (_i: { x: string }) => deaf());
const kept = op("kept", { cache: { ttl: "1h" } }, async (_i: { x: string }) => deaf());
const items = op("items", { timeout: { idle: "1h" } }, async function* (_i: { x: string }): AsyncGenerator<{
  v: string;
}> {
  yield { v: "one" };
  yield deaf();
});

/** A hundred bodies that hang, in everything that can hang. */
const everything = graph("everything", (input: Ref<{ x: string; xs: string[] }>) => ({
  many: collect(body({ x: each(input.xs) }, { parallel: 100 }).v),
  again: again({ x: input.x }).v,
  timed: timed({ x: input.x }).v,
  kept: kept({ x: input.x }).v,
  same: kept({ x: input.x }, { name: "same" }).v,
  stream: items({ x: input.x }).v,
  sum: reduce("sum", items({ x: input.x }, { name: "more" }).v, "", (a, b) => a + b),
  asked: interrupt("ask", { x: input.x }, { answer: z.object({ yes: z.boolean() }), timeout: "3d" }).yes,
  slept: loop("turns", { max: 3 }, { n: 0 }, (s) => {
    sleep("night", "1d");
    const v = body({ x: input.x });
    return { next: { n: s.n }, until: derive(v.v, () => true), result: { v: v.v } };
  }).v,
  first: race("first", {
    one: () => ({ v: body({ x: input.x }).v }),
    two: () => ({ v: timed({ x: input.x }).v }),
  }).v,
}));

const input = { x: "x", xs: Array.from({ length: 92 }, (_, i) => String(i)) };
const bodies = 92 + 8;

async function readAll(stream: RunStream<unknown>): Promise<string> {
  try {
    for await (const _ of stream);
    return "ended";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test.each([
  ["without a backend", false],
  ["with a backend", true],
])(
  "H51 P3 I11 a hundred bodies that never settle: after a cancel all who wait are told within a second, %s",
  async (_title, durable) => {
    working = 0;
    const clock = new CountingClock();
    const engine = await open({
      check: checkInvariants,
      clock,
      runConcurrency: 200,
      ...(durable ? { backend: memory() } : {}),
    });
    const caller = new AbortController();
    const handle = await engine.start(everything, input, { id: "run", signal: caller.signal });
    const follower = engine.run(kept, { x: "own" });
    follower.catch(() => undefined);
    const reads = [readAll(handle.stream(["updates", "tasks", "output"])), readAll(handle.items("stream"))];
    const pending = Promise.allSettled([handle.result(), handle.output(), handle.output()]);
    await eventually("all bodies are at work", () => working >= bodies);
    const since = performance.now();
    const cancelled = handle.cancel("enough");
    const [all, read, own] = await Promise.all([pending, Promise.all(reads), cancelled]);
    expect(performance.now() - since).toBeLessThan(1_000);
    expect(own).toMatchObject({ status: "cancelled", reason: "enough" });
    expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(read).toEqual(["ended", "RunCancelled"]);
    // The one of the other run is all that goes on.
    await eventually("no timer of the run is left", () => clock.armed === 0);
    expect(handle.interrupts()).toEqual([]);
    caller.abort();
    expect(await handle.result()).toEqual(own);
  },
);

test("H52 I11 what rejects when nobody waits any more never ends the process, and nothing keeps it from ending", async () => {
  const child = new Child("late-rejections", []);
  const code = await child.exit();
  expect({ code, stderr: child.stderr }).toEqual({ code: 0, stderr: "" });
  const life = [
    "raced completed",
    "caught completed",
    "swept completed",
    "timed failed",
    "validated failed",
    "listed failed",
    "cancelled 6",
    "left EngineClosed",
  ];
  expect(child.stdout.trim().split("\n")).toEqual([...life, ...life, "alive"]);
});
