import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { describe, expect, onTestFinished, test } from "vitest";

import { Lease, monotonicMs, type LeaseOptions } from "../../src/node/index.ts";
import { Beat } from "../../src/node/lease/beat.ts";
import type { LeaseFiles } from "./programs/lease-in-file.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const module = new URL("./programs/lease-in-file.ts", import.meta.url);

interface Stage {
  readonly lease: Lease;
  readonly renewals: () => number[];
  readonly lines: () => string[];
  readonly order: (what: "refuse" | "hang" | "fail" | undefined) => void;
}

async function started(changes: Partial<LeaseOptions> = {}): Promise<Stage> {
  const temporary = temporaryFolder();
  onTestFinished(() => temporary.remove());
  const folder = temporary.path;
  const options: LeaseFiles = { log: join(folder, "log"), orders: join(folder, "orders") };
  const lease = new Lease({ module, options, owner: "o", ttlMs: 900, stuckAfterMs: 60_000, ...changes });
  onTestFinished(() => lease.stop());
  await lease.start(monotonicMs());
  const lines = (): string[] => (existsSync(options.log) ? readFileSync(options.log, "utf8").trim().split("\n") : []);
  return {
    lease,
    lines,
    renewals: () => lines().map(Number).filter(Number.isFinite),
    order: (what) => (what === undefined ? rmSync(options.orders) : writeFileSync(options.orders, what)),
  };
}

function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe("a lease", () => {
  test("H10 is renewed while the main loop is busy for three times its length", async () => {
    const { lease, renewals } = await started();
    busyFor(2_700);
    expect(lease.alive()).toBe(true);
    expect(renewals().length).toBeGreaterThanOrEqual(5);
    expect(renewals().at(-1)).toBeGreaterThan(Date.now());
  });

  test("is let go while the main loop does not come round, and taken up again when it does", async () => {
    const { lease, renewals } = await started({ stuckAfterMs: 600 });
    busyFor(3_000);
    expect(lease.alive()).toBe(false);
    const before = renewals().length;
    expect(renewals().at(-1)).toBeLessThan(Date.now());
    await expect.poll(() => lease.alive(), { timeout: 5_000 }).toBe(true);
    expect(renewals().length).toBeGreaterThan(before);
  });

  test("is kept by a main loop that comes round, whatever its engine's clock and watch do", async () => {
    const { lease, renewals } = await started({ stuckAfterMs: 600 });
    await pause(1_500);
    await expect.poll(() => lease.alive(), { timeout: 5_000 }).toBe(true);
    const before = renewals().length;
    await expect.poll(() => renewals().length, { timeout: 5_000 }).toBeGreaterThan(before + 2);
  });

  test.each(["fail", "hang"] as const)(
    "H4 a store that %ss makes it doubtful a quarter early, and it comes back",
    async (what) => {
      const { lease, order, lines } = await started({ ttlMs: 3_000 });
      await expect.poll(() => lines().length, { timeout: 5_000 }).toBeGreaterThan(1);
      order(what);
      await expect.poll(() => lease.alive(), { timeout: 5_000, interval: 5 }).toBe(false);
      expect(Number(lines().findLast((line) => line !== "closed"))).toBeGreaterThan(Date.now());
      order(undefined);
      await expect.poll(() => lease.alive(), { timeout: 5_000 }).toBe(true);
      expect(lines()).toContain("closed");
    },
  );

  test("that the store does not know any more is over for good", async () => {
    const { lease, order } = await started();
    order("refuse");
    await expect.poll(() => lease.alive(), { timeout: 5_000 }).toBe(false);
    order(undefined);
    await pause(1_000);
    expect(lease.alive()).toBe(false);
  });

  test("stops with its connection closed, and stopping twice is harmless", async () => {
    const { lease, lines } = await started();
    await expect.poll(() => lines().length, { timeout: 5_000 }).toBeGreaterThan(0);
    await Promise.all([lease.stop(), lease.stop()]);
    expect(lines().at(-1)).toBe("closed");
    expect(lease.alive()).toBe(false);
    const count = lines().length;
    await pause(700);
    expect(lines()).toHaveLength(count);
  });

  test("whose module cannot be loaded, or exports no connect, is refused by name", async () => {
    for (const [name, reason] of [
      ["./programs/nothing-here.ts", /nothing-here/],
      ["./programs/cpu-twins.ts", /connect/],
    ] as const) {
      const missing = new URL(name, import.meta.url);
      const lease = new Lease({ module: missing, options: {}, owner: "o", ttlMs: 900, stuckAfterMs: 1_000 });
      await expect(lease.start(monotonicMs())).rejects.toMatchObject({ code: "WorkerModuleFailed", message: reason });
      expect(lease.alive()).toBe(false);
    }
  });

  test("counts turns past the greatest number without saying that there were none", () => {
    const beat = new Beat();
    new Int32Array(beat.shared, 8, 1)[0] = -1;
    beat.turn();
    expect(beat.turns).toBe(1);
  });
});
