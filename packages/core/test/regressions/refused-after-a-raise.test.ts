import { expect, test } from "vitest";
import { collect, graph, memory, onEnd, op, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually, forever } from "../acceptance/support/gate.ts";

// The second stream was refused although the first refusal had swept it: the run was lost to a broken state.
test("two unsafe streams cut off by a crash, and the refusal of one ends the run: its finalizers run", async () => {
  let begun = 0;
  const cleaned: string[] = [];
  const risky = op("risky", { effect: "unsafe" }, async function* ({ n }: { n: number }) {
    yield { n };
    begun++;
    await forever();
  });
  const clean = op("clean", async ({ status }: { status: string }) => {
    cleaned.push(status);
    return {};
  });
  const g = graph("raised", (input: Ref<{ n: number }>) => {
    onEnd("cleanUp", (end) => clean({ status: end.status }));
    return { a: collect(risky({ n: input.n }).n), b: collect(risky({ n: input.n }, { name: "other" }).n) };
  });
  const store = memory();
  const first = await open({ backend: store, graphs: [g] });
  await first.start(g, { n: 1 }, { id: "run", errors: "raise" });
  await eventually("both are under way", () => begun === 2);
  await store.abandon();
  const second = await open({ backend: store.another(), graphs: [g], check: checkInvariants });
  expect(await second.recovered[0]?.result()).toMatchObject({ status: "failed" });
  expect({ begun, cleaned }).toEqual({ begun: 2, cleaned: ["failed"] });
  await second.close();
});
