import { expect, test } from "vitest";
import { isTold, playShare, timeout } from "./support/crash-cases.ts";

test(
  "R11 R12 R17 P3.1 P3.3 P3.8c K1 random graphs x crash at a random record, exit durability: outcome of the reference interpreter, no finished body twice but for what is lost, the log is written when the run ends, parks or drains",
  { timeout },
  async () => {
    const tally = await playShare("exit");
    expect(isTold ? tally.tooFewAtExit : []).toEqual([]);
  },
);
