import { expect, test } from "vitest";
import { graph, memory, op } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually, forever } from "../acceptance/support/gate.ts";

// After { rerun } the invocation goes on under the same entry: a second answer for the same question found it "open".
test("two answers that say rerun at the same moment run a body in doubt once more, and no more", async () => {
  let begun = 0;
  let hangs = true;
  const risky = op("risky", { effect: "unsafe" }, async () => {
    begun++;
    if (hangs) await forever();
    return { begun };
  });
  const flow = graph("flow", () => ({ begun: risky({}).begun }));
  const store = memory();
  const first = await open({ backend: store });
  await first.start(flow, undefined, { id: "r" });
  await eventually("it began", () => begun === 1);
  await store.abandon();
  hangs = false;
  const engine = await open({ backend: store.another(), graphs: [flow] });
  const [handle] = engine.recovered;
  await handle?.result();
  const answers = await Promise.allSettled([1, 2, 3].map(() => engine.answer("r", "risky", { rerun: true })));
  expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await handle?.output()).toEqual({ begun: 2 });
});
