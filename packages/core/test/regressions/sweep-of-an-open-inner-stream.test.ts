import { expect, test } from "vitest";
import { collect, graph, op, sweep, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "../acceptance/support/engines.ts";
import { forever, gate } from "../acceptance/support/gate.ts";

// The collect was resolved by its source first, as swept, and then again by its items: two items of the outer stream
// were counted for one, and the run was over too early.
test("a collect over an inner stream that is swept with an item open resolves once, with what was left", async () => {
  const second = gate();
  const outer = op("outer", async function* (_input: { from: string }) {
    yield { stop: false };
    await second.opened;
    yield { stop: true };
  });
  const inner = op("inner", async function* ({ stop }: { stop: boolean }) {
    yield { n: 1 };
    yield { n: 2 };
    if (!stop) await forever();
  });
  const slow = op("slow", async ({ n, stop }: { n: number; stop: boolean }) => {
    if (n === 2) second.open();
    return stop ? { n } : forever();
  });
  const g = graph("g", (input: Ref<{ from: string }>) => {
    const o = outer({ from: input.from });
    const i = inner({ stop: o.stop });
    const s = slow({ n: i.n, stop: o.stop }, { parallel: 2 });
    const swept = sweep("sweep", { on: o.stop, cancel: [s] });
    return { made: collect(collect(i.n)), slow: collect(collect(s.n)), swept: collect(swept) };
  });
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(g, { from: "x" })).toEqual({
    made: [
      [1, 2],
      [1, 2],
    ],
    slow: [[], [1, 2]],
    swept: [0, 3],
  });
});
