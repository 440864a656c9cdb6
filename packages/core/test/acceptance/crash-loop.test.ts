/** Bodies that may be what their process dies of. */
import { describe, expect, test } from "vitest";
import {
  collect,
  each,
  fallback,
  graph,
  memory,
  op,
  openEngine,
  type Engine,
  type Handle,
  type Ref,
  type Runnable,
} from "../../src/index.ts";
import type { MemoryBackend } from "../../src/backends/memory.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { VirtualClock } from "./support/clock.ts";
import { eventually, forever } from "./support/gate.ts";

/** A run that is begun by one process after the other, each of which dies, or stops in another way, when the test says so. */
class Lives {
  store: MemoryBackend = memory();
  readonly clock = new VirtualClock();
  #engine: Engine | null = null;
  readonly #flow: Runnable<never, unknown>;

  constructor(flow: Runnable<never, unknown>) {
    this.#flow = flow;
  }

  async start(input?: unknown): Promise<void> {
    const engine = await this.#open();
    await engine.start(this.#flow, input as never, { id: "r" });
  }

  async resume(): Promise<Handle<unknown>> {
    const engine = await this.#open();
    return engine.recovered[0] ?? engine.resume("r");
  }

  async #open(): Promise<Engine> {
    const options = { backend: this.store, graphs: [this.#flow], clock: this.clock, warn: () => undefined };
    this.#engine = await openEngine({ ...options, check: checkInvariants });
    return this.#engine;
  }

  async die(): Promise<void> {
    await this.store.abandon();
    this.store = this.store.another();
  }

  async close(): Promise<void> {
    await this.#engine?.close();
    this.store = this.store.another();
  }

  async drain(): Promise<void> {
    await this.#engine?.drain("r");
    await this.close();
  }
}

let begun: string[] = [];
let poison = true;
const eat = op("eat", { retry: { attempts: 5, on: () => true } }, async ({ n }: { n: number }) => {
  begun.push(`eat ${n}`);
  if (poison) await forever();
  return { n };
});
const meal = graph("meal", (input: Ref<{ n: number }>) => ({ n: eat({ n: input.n }).n }));

function fresh(): void {
  begun = [];
  poison = true;
}

const began = (count: number) => eventually(`${count} bodies began`, () => begun.length === count);

async function diesOf(lives: Lives, times: number): Promise<void> {
  await lives.start({ n: 1 });
  await began(1);
  await lives.die();
  for (let i = 2; i <= times; i++) {
    await lives.resume();
    await began(i);
    await lives.die();
  }
}

describe("CrashLoop", () => {
  test("H11 H46 a body in flight at three crashes in a row is not begun a fourth time, and not retried", async () => {
    fresh();
    const lives = new Lives(meal);
    await diesOf(lives, 3);
    const handle = await lives.resume();
    expect(await handle.result()).toMatchObject({
      status: "failed",
      errors: [{ node: "eat", code: "CrashLoop", attempts: 1, message: expect.stringContaining("last 3 times") }],
    });
    expect(begun).toHaveLength(3);
  });

  test("a fallback around it goes on", async () => {
    fresh();
    const flow = graph("flow", (input: Ref<{ n: number }>) => {
      const safe = fallback(
        "safe",
        () => ({ said: eat({ n: input.n }).n }),
        ({ code }) => ({ said: code }),
      );
      return { said: safe.said };
    });
    const lives = new Lives(flow);
    await diesOf(lives, 3);
    expect(await (await lives.resume()).output()).toEqual({ said: "CrashLoop" });
  });

  test("two crashes do no harm", async () => {
    fresh();
    const lives = new Lives(meal);
    await diesOf(lives, 2);
    poison = false;
    expect(await (await lives.resume()).output()).toEqual({ n: 1 });
  });

  test("H12 an engine that closes gives the run away, and that does not count, however often", async () => {
    fresh();
    const lives = new Lives(meal);
    await lives.start({ n: 1 });
    for (let i = 1; i <= 5; i++) {
      await began(i);
      await lives.close();
      await lives.resume();
    }
    await began(6);
    poison = false;
    await lives.close();
    expect(await (await lives.resume()).output()).toEqual({ n: 1 });
  });

  test("H12 neither does one that drains, with a stream under way", async () => {
    let produced = 0;
    const steps = op("steps", async function* () {
      for (let k = 0; k < 6; k++) {
        await new Promise((resolve) => setTimeout(resolve, 4));
        produced++;
        yield { k };
      }
    });
    const lives = new Lives(graph("stepping", () => ({ ks: collect(steps({}).k) })));
    await lives.start();
    for (let i = 0; i < 4; i++) {
      const before = produced;
      await eventually("it yields", () => produced > before);
      await lives.drain();
      if (i < 3) await lives.resume();
    }
    expect(await (await lives.resume()).output()).toEqual({ ks: [0, 1, 2, 3, 4, 5] });
  });

  test("H46 an attempt that failed in between shows that it got further: the count begins anew", async () => {
    fresh();
    let fails = false;
    const slow = op("slow", { retry: { attempts: 9, initial: 1, on: () => true } }, async () => {
      begun.push("slow");
      if (fails) {
        fails = false;
        throw new Error("no");
      }
      if (poison) await forever();
      return { done: true };
    });
    const lives = new Lives(graph("flow", () => ({ done: slow({}).done })));
    await lives.start();
    await began(1);
    await lives.die();
    await lives.resume();
    await began(2);
    await lives.die();
    // The second attempt after it dies twice more, which makes four in all, and two in a row.
    fails = true;
    await lives.resume();
    await eventually("an attempt failed", () => !fails);
    await lives.clock.advance(10);
    await began(4);
    for (let i = 5; i <= 6; i++) {
      await lives.die();
      await lives.resume();
      await lives.clock.advance(10);
      await began(i);
    }
    await lives.die();
    expect(await (await lives.resume()).result()).toMatchObject({ errors: [{ code: "CrashLoop", attempts: 2 }] });
  });

  test("so does an item of a generator", async () => {
    fresh();
    let stopAt = 0;
    const items = op("items", async function* () {
      for (let k = 0; k < 6; k++) {
        if (k === stopAt) {
          begun.push(`stops at ${k}`);
          await forever();
        }
        yield { k };
      }
    });
    const lives = new Lives(graph("streaming", () => ({ ks: collect(items({}).k) })));
    await lives.start();
    for (let i = 1; i <= 5; i++) {
      await began(i);
      await lives.die();
      stopAt = i;
      await lives.resume();
    }
    await began(6);
    await lives.die();
    stopAt = -1;
    expect(await (await lives.resume()).output()).toEqual({ ks: [0, 1, 2, 3, 4, 5] });
  });

  test("what waits, for its next attempt or for credit, was not at work", async () => {
    fresh();
    const later = op("later", { retry: { attempts: 2, initial: "1h", jitter: "none", on: () => true } }, async () => {
      begun.push("later");
      if (begun.filter((what) => what === "later").length === 1) throw new Error("not yet");
      return { at: "last" };
    });
    const flow = graph("flow", (input: Ref<{ ns: number[] }>) => ({
      at: later({}).at,
      ns: collect(eat({ n: each(input.ns) }).n, { errors: "skip" }),
    }));
    const lives = new Lives(flow);
    await lives.start({ ns: [1] });
    await began(2);
    for (let i = 3; i <= 4; i++) {
      await lives.die();
      await lives.resume();
      await began(i);
    }
    await lives.die();
    const handle = await lives.resume();
    const result = await lives.clock.until(handle.result());
    expect(result).toMatchObject({ output: { at: "last", ns: [] }, errors: [{ node: "eat", code: "CrashLoop" }] });
  });

  test("a crash behind the count, before or after its failure, counts the same when it is replayed", async () => {
    fresh();
    const lives = new Lives(meal);
    await diesOf(lives, 3);
    const handle = await lives.resume();
    const result = await handle.result();
    const events: string[] = [];
    const reader = await openEngine({ backend: lives.store.another(), graphs: [meal], warn: () => undefined });
    for await (const event of await reader.stream("r", "tasks"))
      if (event.mode === "tasks") events.push(`${event.node} ${event.task}`);
    expect(events.at(-1)).toBe("eat failed");
    expect(result.errors[0]?.count).toBe(1);
    await reader.close();
  });
});
