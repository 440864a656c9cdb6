import { expect, test } from "vitest";

import { graph, op, openEngine, type Ref } from "../../src/index.ts";
import { fenceStep } from "../../src/ports/fence.ts";
import { opened, urlOf, type ServerHarness } from "./harness.ts";
import { appendOf, eventually, newRun } from "./runs.ts";

const add = op("add", async ({ n }: { n: number }) => ({ n: n + 1 }));
const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: add({ n: input.n }).n }));

/** H28: what of a server that was put back cannot be told by its runs alone. */
export function restoredTests(harness: ServerHarness, lastOwner: (place: string) => Promise<number>): void {
  test("H28 an owner from before has no lease after fenceAll, renews none, takes nothing, and knows it", async () => {
    const place = harness.fresh();
    const old = await opened(harness, "old", place, { lease: 1_000 });
    await old.create(newRun("r"));
    const now = await opened(harness, "now", place);
    await now.fenceAll({ resume: true, at: Date.now() });
    expect(await now.living(["old", "now"])).toEqual(["now"]);
    expect(await old.claim({ statuses: ["running"], limit: 10, at: Date.now() })).toEqual([]);
    await eventually("the old owner's lease", 20_000, () => (old.alive?.() === true ? undefined : true));
    expect(await now.living(["old"])).toEqual([]);
    expect((await old.append(appendOf("r", 2))).type).toBe("lost");
    const [taken] = await now.claim({ statuses: ["running"], limit: 10, at: Date.now() });
    expect([taken?.owner, taken?.epoch]).toEqual(["now", fenceStep + 2]);
  });

  test("H28 a run that was begun after the backup, and is begun again after it was put back, is fenced from who had it before", async () => {
    const place = harness.fresh();
    // Nobody ended it; the run that it has is gone with what came after the backup.
    const old = await opened(harness, "old", place);
    const now = await opened(harness, "now", place);
    await now.fenceAll({ resume: true, at: Date.now() });
    await now.close();
    const later = await opened(harness, "later", place);
    expect((await later.create(newRun("again"))).type).toBe("created");
    expect((await old.append(appendOf("again", 2))).type).toBe("lost");
    const epoch = later.firstEpoch ?? 1;
    expect(epoch).toBeGreaterThan(fenceStep);
    expect(await later.get("again")).toMatchObject({ epoch, owner: "later" });
    expect((await later.append({ ...appendOf("again", 2), epoch })).type).toBe("ok");
    const engine = await openEngine({ backend: harness.backend(urlOf(harness), place, {}), warn: () => undefined });
    expect(await engine.run(flow, { n: 1 }, { id: "whole" })).toEqual({ n: 2 });
    expect((await engine.get("whole"))?.status).toBe("completed");
    await engine.close();
  });

  test("H28 owners after fenceAll have numbers that nobody had who opened in the time that was taken back", async () => {
    const place = harness.fresh();
    const before = await opened(harness, "before", place);
    const first = await lastOwner(place);
    await before.fenceAll({ resume: false, at: Date.now() });
    await opened(harness, "after", place);
    expect(await lastOwner(place)).toBeGreaterThanOrEqual(first + fenceStep);
    await before.fenceAll({ resume: false, at: Date.now() });
    await opened(harness, "later", place);
    expect(await lastOwner(place)).toBeGreaterThanOrEqual(first + 2 * fenceStep);
  });
}
