import { expect, test } from "vitest";
import { graph, op, type Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

const later = op("later", async ({ x }: { x: number }) => {
  await new Promise((done) => setTimeout(done, 5));
  return { x };
});
const atOnce = op("atOnce", ({ x }: { x: number }) => ({ x }));
const slow = graph("slow", (input: Ref<{ x: number }>) => ({ x: later({ x: input.x }).x }));
const quick = graph("quick", (input: Ref<{ x: number }>) => ({ x: atOnce({ x: input.x }).x }));

test("R19 a run that waited for the engine's permit and needs none does not swallow the wake-up of the next", async () => {
  const engine = await open({ concurrency: 1 });
  const runs = [engine.run(slow, { x: 1 }), engine.run(quick, { x: 2 }), engine.run(slow, { x: 3 })];
  expect(await Promise.all(runs)).toEqual([{ x: 1 }, { x: 2 }, { x: 3 }]);
});

test("R19 neither does a run that was cancelled while it waited", async () => {
  const engine = await open({ concurrency: 1 });
  const first = engine.run(slow, { x: 1 });
  const cancelled = await engine.start(slow, { x: 2 });
  const third = engine.run(slow, { x: 3 });
  await cancelled.cancel();
  expect(await Promise.all([first, third])).toEqual([{ x: 1 }, { x: 3 }]);
});

test("H51 a body that cancels its own run and never settles takes no permit with it", async () => {
  const engine = await open({ concurrency: 1 });
  const suicidal = op("suicidal", (_input: object, ctx) => {
    void engine.cancel(ctx.runId);
    return new Promise<{ x: number }>(() => undefined);
  });
  const ends = graph("ends", () => ({ x: suicidal({}).x }));
  const handle = await engine.start(ends, {});
  expect((await handle.result()).status).toBe("cancelled");
  expect(await engine.run(slow, { x: 1 })).toEqual({ x: 1 });
});
