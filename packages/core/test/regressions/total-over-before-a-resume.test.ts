import { expect, test } from "vitest";
import { graph, memory, op, type Ref } from "../../src/index.ts";
import { VirtualClock } from "../acceptance/support/clock.ts";
import { open } from "../acceptance/support/engines.ts";
import { forever } from "../acceptance/support/gate.ts";

// A body that never ran was waited for, and gave back a permit that it never had.
test("an invocation whose total time was over before it could go on holds nothing", async () => {
  const hangs = op("hangs", { timeout: { total: 90 } }, async ({ n }: { n: number }) => {
    await forever();
    return { n };
  });
  const g = graph("total", (input: Ref<{ n: number }>) => ({ n: hangs({ n: input.n }).n }));
  const store = memory();
  const clock = new VirtualClock();
  const first = await open({ backend: store, graphs: [g], clock });
  await first.start(g, { n: 1 }, { id: "run" });
  await clock.advance(10);
  await store.abandon();
  const later = new VirtualClock();
  await later.advance(1_000_000);
  const second = await open({ backend: store.another(), graphs: [g], clock: later });
  const result = await later.until(second.recovered[0]!.result());
  expect(result).toMatchObject({ status: "failed", errors: [{ code: "Timeout" }] });
  expect(later.armed).toBe(0);
  await second.close();
  await first.close();
});
