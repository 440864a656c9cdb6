/** Drained at any moment and resumed, a workflow comes to what it comes to undisturbed, and calls nothing twice. */
import { describe, expect, test } from "vitest";
import { memory, op, workflow, type WorkflowCtx } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually } from "../acceptance/support/gate.ts";

const moments = Array.from({ length: 14 }, (_, at) => at);
let ran: number[] = [];
const one = op("one", async ({ n }: { n: number }) => {
  ran.push(n);
  return { n: n + 1 };
});
type W = WorkflowCtx<typeof one, {}, "news">;

const shapes = {
  "one after the other": async (w: W) => {
    let last = { n: 0 };
    for (let i = 0; i < 4; i++) last = await w.run(one, last);
    return last.n;
  },
  "several at once": async (w: W) => {
    const pairs = [1, 11, 21].map(async (n) => w.run(one, await w.run(one, { n })));
    return (await Promise.all(pairs)).length;
  },
  "emissions behind the last call": async (w: W) => {
    await w.run(one, { n: 0 });
    w.emit("news", 1);
    w.emit("news", 2);
    return 4;
  },
};
const CASES = [
  ["one after the other", 4, [0, 1, 2, 3]],
  ["several at once", 3, [1, 2, 11, 12, 21, 22]],
  ["emissions behind the last call", 4, [0]],
] as const;

async function drainedAt(at: number, shape: keyof typeof shapes, durable: boolean): Promise<unknown> {
  ran = [];
  const flow = workflow("flow", { uses: [one], emits: ["news"] }, (w, _input: {}) => shapes[shape](w));
  const engine = await open({ ...(durable && { backend: memory() }) });
  const handle = await engine.start(flow, {}, { id: "run" });
  for (let i = 0; i < at; i++) await (i % 2 === 0 ? null : new Promise((resolve) => setImmediate(resolve)));
  await handle.drain();
  let result = await handle.result();
  if (result.status === "drained") result = (await (await engine.resume("run")).result()) as typeof result;
  return [at, result.status, result.status === "completed" && result.output, ran.toSorted((a, b) => a - b)];
}

describe.each([
  ["without a backend", false],
  ["with a journal", true],
] as const)("drained, %s", (_where, durable) => {
  test.each(CASES)("%s", async (shape, output, calls) => {
    const results: unknown[] = [];
    for (const at of moments) results.push(await drainedAt(at, shape, durable));
    expect(results).toEqual(moments.map((at) => [at, "completed", output, calls]));
  });

  test("a body that waits for something that is no call has nothing under way", async () => {
    let lives = 0;
    let go: () => void = () => undefined;
    const flow = workflow("flow", { uses: [one] }, async (w, _input: {}) => {
      const { n } = await w.run(one, { n: 1 });
      lives++;
      await new Promise<void>((resolve) => (go = resolve));
      return w.run(one, { n });
    });
    ran = [];
    const engine = await open({ ...(durable && { backend: memory() }) });
    const handle = await engine.start(flow, {}, { id: "run" });
    await eventually("the body waits", () => lives === 1);
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
    await handle.drain();
    expect(await handle.result()).toMatchObject({ status: "drained" });
    const again = await engine.resume("run");
    await eventually("a body waits", () => lives === (durable ? 2 : 1));
    go();
    expect(await again.result()).toMatchObject({ status: "completed", output: { n: 3 } });
    expect([lives, ran]).toEqual([durable ? 2 : 1, [1, 2]]);
  });
});
