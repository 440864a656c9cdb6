/** What bodies are told when they are aborted, and what a log says of failures that nobody asked for: with what is behind. */
import { expect, test } from "vitest";
import { collect, each, graph, memory, op, type OpCtx, type Ref } from "../../src/index.ts";
import { open } from "./support/engines.ts";
import { gate } from "./support/gate.ts";

/** An op that waits to be aborted, and what it was aborted with. */
function waiting() {
  const started = gate();
  const reasons: unknown[] = [];
  const wait = op("wait", async (_i: object, { signal }: OpCtx<object>) => {
    started.open();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    reasons.push(signal.reason);
    return { x: 1 };
  });
  return { wait, started, reasons };
}

test("the signal of a body has what its run was cancelled with as the cause of its reason", async () => {
  const { wait, started, reasons } = waiting();
  const engine = await open({ backend: memory() });
  const controller = new AbortController();
  const running = engine.run(wait, {}, { signal: controller.signal });
  await started.opened;
  const cause = new RangeError("the user closed the tab");
  controller.abort(cause);
  await expect(running).rejects.toMatchObject({ code: "RunCancelled" });
  await expect.poll(() => reasons).toHaveLength(1);
  expect(reasons[0]).toMatchObject({
    name: "AbortError",
    message: "the run was cancelled: the user closed the tab",
    cause,
  });
});

test("a cancel without an error has a reason and no cause", async () => {
  const { wait, started, reasons } = waiting();
  const engine = await open();
  const handle = await engine.start(wait, {});
  await started.opened;
  await handle.cancel("enough");
  await expect.poll(() => reasons).toHaveLength(1);
  expect(reasons[0]).toMatchObject({ message: "the run was cancelled: enough" });
  expect(reasons[0]).not.toHaveProperty("cause");
});

test("bodies that are aborted because another op failed are told which, and with what", async () => {
  const { wait, started, reasons } = waiting();
  const bad = op("bad", async (): Promise<{ x: number }> => {
    await started.opened;
    throw new TypeError("broken", { cause: new Error("root") });
  });
  const g = graph("g", (_input: Ref<object>) => ({ a: wait({}).x, b: bad({}).x }));
  const engine = await open({ errors: "raise", backend: memory() });
  await expect(engine.run(g, {})).rejects.toMatchObject({ code: "OpFailed" });
  await expect.poll(() => reasons).toHaveLength(1);
  expect(reasons[0]).toMatchObject({
    message: "the run failed",
    cause: { node: "bad", path: "g/bad", type: "TypeError", message: "broken", causes: ["Error: root"] },
  });
});

test("a body that asks for its signal after it was aborted is told the same", async () => {
  const started = gate();
  const go = gate();
  const reasons: unknown[] = [];
  const late = op("late", async (_i: object, ctx: OpCtx<object>) => {
    started.open();
    await go.opened;
    reasons.push(ctx.signal.reason);
    return { x: 1 };
  });
  const engine = await open();
  const handle = await engine.start(late, {});
  await started.opened;
  await handle.cancel("enough");
  go.open();
  await expect.poll(() => reasons).toMatchObject([{ name: "AbortError", message: "the run was cancelled: enough" }]);
});

test("the log line of failures that nothing handled says what was behind them", async () => {
  const lines: string[] = [];
  const bad = op("bad", async ({ x }: { x: number }): Promise<{ x: number }> => {
    expect(x).toBeGreaterThan(0);
    throw new TypeError("fetch failed", { cause: new Error("refused", { cause: "offline" }) });
  });
  const g = graph("g", (input: Ref<{ xs: number[] }>) => {
    const all = collect(bad({ x: each(input.xs) }).x, { errors: "skip" });
    bad({ x: 1 }, { name: "alone" });
    return { all };
  });
  const engine = await open({ warn: (text) => lines.push(text) });
  await engine.run(g, { xs: [1, 2] }, { id: "run" });
  expect(lines).toEqual([
    [
      'millrace: run run of "g" has failures that nothing handles:',
      "  alone failed once, first at g/alone: TypeError: fetch failed",
      "    caused by Error: refused",
      "    caused by offline",
    ].join("\n"),
  ]);
});
