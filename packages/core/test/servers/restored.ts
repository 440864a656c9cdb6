import { expect, test } from "vitest";

import { fenceStep } from "../../src/ports/fence.ts";
import { opened, type ServerHarness } from "./harness.ts";
import { appendOf, eventually, newRun } from "./runs.ts";

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
