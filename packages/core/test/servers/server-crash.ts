import { expect, onTestFinished, test } from "vitest";

import { collect, each, graph, op, openEngine, type Ref } from "../../src/index.ts";
import { opened, type ServerHarness } from "./harness.ts";
import { appendOf, newRun, pause, readAll } from "./runs.ts";

/** A server that only these tests use. */
export interface CrashingServer {
  readonly url: string;
  /** Ends at once, as a crash does, and comes back; `meanwhile` is how long it stays away, in milliseconds. */
  restart(meanwhile?: number): Promise<void>;
}

export function serverCrashTests(harness: ServerHarness, server: () => CrashingServer): void {
  test("H16 H20 a server that crashes under load three times: every append happens once, whatever was under way", async () => {
    const backend = await opened(harness, "a", harness.fresh(), { lease: "15s" }, server().url);
    const ids = Array.from({ length: 12 }, (_, i) => `r${i}`);
    await Promise.all(ids.map((id) => backend.create(newRun(id))));
    const state = { isOver: false };
    const acknowledged = new Map(ids.map((id) => [id, 1]));
    const working = ids.map(async (id) => {
      for (let seq = 2; !state.isOver; seq += 1) {
        expect(await backend.append(appendOf(id, seq))).toEqual({ type: "ok" });
        acknowledged.set(id, seq);
      }
    });
    const starting = { isOver: false, created: 0 };
    const creating = (async () => {
      for (; !starting.isOver; starting.created += 1) {
        expect(await backend.create(newRun(`late-${starting.created}`))).toEqual({ type: "created" });
      }
    })();
    for (const meanwhile of [0, 200, 0]) {
      await pause(400);
      await server().restart(meanwhile);
    }
    await pause(400);
    state.isOver = true;
    starting.isOver = true;
    await Promise.all([...working, creating]);
    for (const id of ids) {
      const rows = await readAll(backend, id);
      expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: acknowledged.get(id)! }, (_, i) => i + 1));
    }
    expect((await backend.list({ graph: "g" })).length).toBe(ids.length + starting.created);
    expect(backend.alive?.()).toBe(true);
  }, 60_000);

  test("an engine whose server crashes goes on with every run, and no body runs twice", async () => {
    const calls = new Map<string, number>();
    const step = op("step", async ({ x }: { x: number }, ctx) => {
      calls.set(ctx.idempotencyKey, (calls.get(ctx.idempotencyKey) ?? 0) + 1);
      await pause(10);
      return { x: x + 1 };
    });
    const work = graph("work", (input: Ref<{ xs: number[] }>) => ({
      all: collect(step({ x: step({ x: each(input.xs) }, { name: "first" }).x }, { name: "second" }).x),
    }));
    const backend = harness.backend(server().url, harness.fresh(), { lease: "15s" });
    const engine = await openEngine({ backend });
    onTestFinished(() => engine.close());
    const xs = Array.from({ length: 20 }, (_, i) => i);
    const runs = Promise.all(Array.from({ length: 10 }, () => engine.run(work, { xs })));
    await pause(150);
    await server().restart();
    for (const { all } of await runs) expect(all).toEqual(xs.map((x) => x + 2));
    expect(calls.size).toBe(400);
    expect([...calls.values()].every((count) => count === 1)).toBe(true);
  }, 60_000);
}
