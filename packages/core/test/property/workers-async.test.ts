import { expect, test } from "vitest";
import { playWorkers, timeout } from "./support/worker-cases.ts";

test(
  "R10 R11 R12 H1 H7 H15 H16 H20 K9 P3.8c P3.9 I1 I2 I3 I4 I5 I6 I7 I8 I9 I10 I11 I12 random graphs on three workers and more, with kills, stalls, lost commits and clock jumps, async durability",
  { timeout },
  async () => {
    const { tooFew } = await playWorkers("async");
    expect(tooFew).toEqual([]);
  },
);
