import { expect, test } from "vitest";
import { graph, onEnd, op, type Ref } from "../../src/index.ts";
import { VirtualClock } from "../acceptance/support/clock.ts";
import { open } from "../acceptance/support/engines.ts";

/**
 * What a body does before it returns its promise may end its run: nobody waits for it any more then. What it has been given
 * it gives back when it settles, and no timer is armed for it.
 */
const tidy = op("tidy", () => ({ tidied: true }));

test.each([
  ["nothing of its own", { timeout: {} }, false],
  ["a time limit", { timeout: { run: "1m" } }, false],
  ["nothing of its own and a finalizer", { timeout: {} }, true],
  ["a time limit and a finalizer", { timeout: { run: "1m" } }, true],
] as const)(
  "R19 I11 a body with %s that cancels its run before its promise leaves no timer and takes no permit",
  async (_, policies, finalized) => {
    const clock = new VirtualClock();
    const engine = await open({ concurrency: 2, clock, slowOp: "10s" });
    let settle = (): void => undefined;
    const suicidal = op("suicidal", { async: true, ...policies }, (_input: object, ctx) => {
      void engine.cancel(ctx.runId);
      return new Promise<{ x: number }>((resolve) => (settle = () => resolve({ x: 1 })));
    });
    const ends = graph("ends", () => {
      if (finalized) onEnd("last", () => tidy({}));
      return { x: suicidal({}).x };
    });
    const handle = await engine.start(ends, {});
    expect((await handle.result()).status).toBe("cancelled");
    settle();
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.armed).toBe(0);

    let most = 0;
    let now = 0;
    const counted = op("counted", async ({ x }: { x: number }) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return { x };
    });
    const next = graph("next", (input: Ref<{ x: number }>) => ({ x: counted({ x: input.x }).x }));
    expect(await Promise.all([1, 2, 3].map((x) => engine.run(next, { x })))).toEqual([{ x: 1 }, { x: 2 }, { x: 3 }]);
    expect(most).toBe(2);
  },
);
