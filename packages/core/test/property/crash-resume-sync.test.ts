import { expect, test } from "vitest";
import { isTold, playShare, timeout } from "./support/crash-cases.ts";

test(
  "R11 R12 R17 P3.1 P3.3 P3.4 P3.8a K1 random graphs x crash at a random record, sync durability: outcome of the reference interpreter, no finished body twice, no body before its cause is durable",
  { timeout },
  async () => {
    const tally = await playShare("sync");
    expect(isTold ? tally.tooFew : []).toEqual([]);
  },
);
