/**
 * The theorem: whatever the graph, wherever the process dies and in whatever order things happen, a run that goes on in
 * another engine comes to what the reference interpreter makes of its journal, and to what an uninterrupted run comes to
 * if order does not show in the graph; nothing that was over begins again; and the invariants of the journal, of the run
 * row and of the kernel's state hold at every step.
 *
 * `MILLRACE_CASES=n` plays n cases instead; `MILLRACE_SEED=n` plays the one of that seed alone.
 */
import { describe, expect, test } from "vitest";
import { checkInvariants } from "../../src/state/invariants.ts";
import { simulateSeed, type SimulateOptions } from "../../src/testing/simulate.ts";
import { explainFailure } from "./support/failing-case.ts";
import { drawn } from "./support/share.ts";
import { Tally } from "./support/tally.ts";

const { only, base, alone: cases } = drawn;
/** Few cases need not have all that is rare. */
const isTold = only === undefined && cases >= 4_000;
const timeout = 120_000 + cases * 40;

/** Throws at the first case that is not right, cut down and told in full. */
async function playAll(seeds: Iterable<number>, options: SimulateOptions): Promise<Tally> {
  const tally = new Tally();
  const { stackTraceLimit } = Error;
  // Ops fail by the thousand, and nobody reads where.
  Error.stackTraceLimit = 0;
  try {
    for (const seed of seeds) {
      const verdict = await simulateSeed(seed, options);
      if (verdict.faults.length > 0) throw new Error(await explainFailure(seed, options));
      tally.add(verdict);
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  return tally;
}

/** Each case has one durability: of five, two have `sync`, two `async`, one `exit`. */
const shares = { sync: [0, 3], async: [1, 4], exit: [2] };

function* seedsOf(durability: keyof typeof shares): Generator<number> {
  if (only !== undefined) yield only;
  else for (let i = 0; i < cases; i++) if (shares[durability].includes(i % 5)) yield base + i;
}

/** Wall time, and processor time, which does not tell how busy the machine was. */
async function reported(name: string, play: () => Promise<Tally>): Promise<Tally> {
  const since = performance.now();
  const before = process.cpuUsage();
  const tally = await play();
  const { user, system } = process.cpuUsage(before);
  const wall = ((performance.now() - since) / tally.cases).toFixed(2);
  const cpu = ((user + system) / 1000 / tally.cases).toFixed(2);
  console.log(
    `${name}: seeds ${only ?? `${base} .. ${base + cases - 1}`}, ${wall} ms per case (processor ${cpu} ms), ${JSON.stringify(tally)}`,
  );
  return tally;
}

describe("random graphs x crash at a random record", () => {
  test(
    "R11 R12 R17 P3.1 P3.3 P3.4 P3.8a K1 sync durability: outcome of the reference interpreter, no finished body twice, no body before its cause is durable",
    { timeout },
    async () => {
      const tally = await reported("sync", () =>
        playAll(seedsOf("sync"), { durability: "sync", check: checkInvariants }),
      );
      expect(isTold ? tally.tooFew : []).toEqual([]);
    },
  );

  test(
    "R11 R12 R17 P3.1 P3.3 P3.4 P3.8b K1 async durability: the same, and only pure ops run ahead of the journal",
    { timeout },
    async () => {
      const tally = await reported("async", () =>
        playAll(seedsOf("async"), { durability: "async", check: checkInvariants }),
      );
      expect(isTold ? tally.tooFew : []).toEqual([]);
    },
  );

  test(
    "R11 R12 R17 P3.1 P3.3 P3.8c K1 exit durability: the same without what is lost, and the log is written when the run ends, parks or drains",
    { timeout },
    async () => {
      const tally = await reported("exit", () =>
        playAll(seedsOf("exit"), { durability: "exit", check: checkInvariants }),
      );
      expect(isTold ? tally.tooFewAtExit : []).toEqual([]);
    },
  );
});
