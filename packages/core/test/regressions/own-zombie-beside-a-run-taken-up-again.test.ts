/**
 * An engine whose lease had lapsed took the run up again after somebody else had had it. What drove it in this engine before did
 * not know yet, and went on beside it: its bodies ran twice in one process, and when it was refused at last, the engine forgot
 * which run it drives.
 */
import { expect, test } from "vitest";
import { graph, memory, op, openEngine } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually, gate } from "../acceptance/support/gate.ts";

test("H1 H9 what drove the run before is told at once that it has lost it, before the run goes on", async () => {
  const door = gate();
  const signals: AbortSignal[] = [];
  const abortedAtStart: boolean[] = [];
  const slow = op("slow", async (_input: {}, ctx) => {
    abortedAtStart.push(signals[0]?.aborted ?? false);
    signals.push(ctx.signal);
    await door.opened;
    return { done: true };
  });
  const flow = graph("flow", () => ({ done: slow({}).done }));
  const store = memory();
  const mine = store.another();
  const engine = await open({ backend: mine, graphs: [flow], poll: 5 });
  const handle = await engine.start(flow, undefined, { id: "run" });
  const told = handle.output().catch((error: unknown) => error);
  await eventually("the body is at work", async () => signals.length === 1);

  const theirs = store.another();
  await mine.abandon();
  await openEngine({ backend: theirs, graphs: [flow], poll: "1h" });
  await eventually("it is at work elsewhere", async () => signals.length === 2);
  await mine.revive();
  await theirs.abandon();
  await eventually("it is at work here again", async () => signals.length === 3);
  expect(abortedAtStart).toEqual([false, false, true]);
  expect(await told).toMatchObject({ code: "LeaseLost" });

  door.open();
  await expect.poll(async () => (await engine.get("run"))?.status, { timeout: 20_000 }).toBe("completed");
});
