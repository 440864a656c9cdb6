import { describe, expect, test } from "vitest";

import { Child } from "./child.ts";
import { opened, settingsOf, type ServerHarness } from "./harness.ts";
import { appendOf, eventually, newRun } from "./runs.ts";
import { playZombie } from "./zombie.ts";

const lease = "1s";

function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

export function takeoverTests(harness: ServerHarness): void {
  describe("take-over", () => {
    test.each([1, 2, 3])("H1 a stopped owner that wakes up writes nothing over its heir: round %i", async (round) => {
      await expect(playZombie(harness, round)).resolves.toBe("fenced off");
    });

    test("H10 an owner whose loop is busy for three leases keeps its runs", async () => {
      const place = harness.fresh();
      const owner = await opened(harness, "busy", place, { lease });
      await owner.create(newRun("r"));
      const other = new Child(harness.program, "claim", settingsOf(harness, place, "other"));
      await other.said("ready");
      busyFor(3_000);
      expect(owner.alive?.()).toBe(true);
      expect(await owner.append(appendOf("r", 2))).toEqual({ type: "ok" });
      other.tell("stop");
      expect(await other.said("claimed")).toBe("claimed 0");
    });

    test("an owner whose loop does not come round for stuckAfter loses its runs, and knows it", async () => {
      const place = harness.fresh();
      const owner = await opened(harness, "stuck", place, { lease, stuckAfter: 500 });
      await owner.create(newRun("r"));
      const other = new Child(harness.program, "claim", settingsOf(harness, place, "other"));
      await other.said("ready");
      busyFor(3_000);
      expect(owner.alive?.()).toBe(false);
      expect(await owner.append(appendOf("r", 2))).toMatchObject({ type: "lost", row: { owner: "other", epoch: 2 } });
      other.tell("stop");
      expect(await other.said("claimed")).toBe("claimed 1");
    });

    test("H4 an owner that another bearer of its name replaced is not alive any more", async () => {
      const place = harness.fresh();
      const first = await opened(harness, "name", place, { lease });
      await first.create(newRun("r"));
      const second = await eventually("an open between two renewals", 10_000, async () => {
        await harness.lapse(place, "name");
        return opened(harness, "name", place, { lease: "20s" }).catch(() => undefined);
      });
      expect((await second.claim({ statuses: ["running"], limit: 1, at: Date.now() }))[0]).toMatchObject({ epoch: 2 });
      expect(await first.append(appendOf("r", 2))).toMatchObject({ type: "lost" });
      await expect.poll(() => first.alive?.(), { timeout: 5_000 }).toBe(false);
      expect(second.alive?.()).toBe(true);
    });

    test("B6 an owner whose lease has lapsed takes nothing, until it is renewed", async () => {
      const place = harness.fresh();
      const late = await opened(harness, "late", place, { lease: "6s" });
      const other = await opened(harness, "other", place);
      await other.create(newRun("r"));
      await other.release("r", 1);
      const claim = { statuses: ["running"], limit: 1, at: Date.now() } as const;
      // A renewal every two seconds: on a busy machine one may come between the two, and what it then takes it gives back.
      const refused = await eventually("a claim between two renewals", 30_000, async () => {
        await harness.lapse(place, "late");
        const [row] = await late.claim(claim);
        if (row !== undefined) await late.release(row.id, row.epoch);
        return row === undefined ? other.get("r") : undefined;
      });
      const row = await eventually("the renewal", 30_000, async () => (await late.claim(claim))[0]);
      expect(row).toMatchObject({ owner: "late", epoch: refused.epoch + 1 });
    });
  });
}
