import { expect, test } from "vitest";
import { collect, each, fallback, graph, memory, op, sweep, zip, type Ref } from "../../src/index.ts";
import { planOf } from "../../src/build/plan-of.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { readJournal } from "../../src/testing/simulate/journal.ts";
import { interpret } from "../../src/testing/simulate/verdict.ts";
import { open } from "../acceptance/support/engines.ts";

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};
const late = op("late", async ({ n }: { n: number }): Promise<{ n: number }> => {
  await turns(20);
  throw new Error(`no ${n}`);
});
const soon = op("soon", async ({ n }: { n: number }) => {
  await turns(5);
  return { now: n > 0 };
});
const handled: number[] = [];
const handle = op("handle", ({ n }: { n: number }) => {
  handled.push(n);
  return { n };
});

interface Input {
  readonly xs: number[];
  readonly ys: number[];
  readonly n: number;
}

const bodyOf = (input: Ref<Input>) =>
  fallback(
    "safe",
    () => ({ x: each(input.xs), n: late({ n: input.n }).n }),
    () => ({ x: each(input.ys), n: handle({ n: input.n }).n }),
  );
const paired = graph("paired", (input: Ref<Input>) => {
  const pair = zip({ x: bodyOf(input).x, y: each(input.ys) }, { name: "pairs", uneven: "stop" });
  return { xs: collect(pair.x) };
});
const swept = graph("swept", (input: Ref<Input>) => {
  const { x } = bodyOf(input);
  sweep("stop", { on: soon({ n: input.n }).now, cancel: [x] });
  return { xs: collect(x) };
});

// The stream that its items had left by was over and forgotten: it was taken for one that had given nothing.
test.each([paired, swept])(
  "a handler does not take over when items of the body are out, also when their stream is over",
  async (g) => {
    const backend = memory();
    const engine = await open({ backend, check: checkInvariants });
    const result = await (await engine.start(g, { xs: [1, 2, 3], ys: [7], n: 4 }, { id: "run" })).result();
    const { happenings } = await readJournal(backend, "run");
    const { outcome, errors } = interpret(planOf(g), happenings).reference;
    expect(handled).toEqual([]);
    expect(result.errors).toMatchObject([{ node: "safe/body/late" }, { node: "safe" }]);
    expect(errors).toMatchObject([{ node: "safe/body/late" }, { node: "safe" }]);
    expect(outcome).toMatchObject({ output: (result as { output?: unknown }).output });
  },
);
