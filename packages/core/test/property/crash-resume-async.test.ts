import { expect, test } from "vitest";
import { isTold, playShare, timeout } from "./support/crash-cases.ts";

test(
  "R11 R12 R17 P3.1 P3.3 P3.4 P3.8b K1 random graphs x crash at a random record, async durability: outcome of the reference interpreter, no finished body twice, only pure ops run ahead of the journal",
  { timeout },
  async () => {
    const tally = await playShare("async");
    expect(isTold ? tally.tooFew : []).toEqual([]);
  },
);
