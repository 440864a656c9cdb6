/**
 * The same theorem with several engines at once over one store: wherever one of them is killed, stands still until others
 * have its runs, loses a commit or does not hear of it, every run comes to its end, and to what the reference interpreter
 * makes of its journal; nobody writes over another, and nothing that was acknowledged is lost.
 *
 * `MILLRACE_CASES` and `MILLRACE_SEED` as in `support/crash-cases.ts`.
 */
import { expect, test } from "vitest";
import { checkInvariants } from "../../src/state/invariants.ts";
import { simulateWorkers, type WorkersOptions } from "../../src/testing/simulate-workers.ts";
import { addCase, newReport } from "../../src/testing/world/report.ts";
import { explainWorkers } from "./support/failing-case.ts";
import { drawn } from "./support/share.ts";
import { withoutStacks } from "./support/without-stacks.ts";

const { only, base, workers: cases } = drawn;
const options: WorkersOptions = { check: checkInvariants };
/** Of these, per case, there is at least so much: a property of nothing would hold too. */
const least = { records: 8, takeovers: 0.7, refusedWrites: 0.08, bodiesAgain: 0.1, answers: 0.05, compared: 0.3 };
const leastOfFaults = 0.02;

test(
  `R10 R11 R12 H1 H7 H15 H16 H20 K9 P3.8c P3.9 I1 I2 I3 I4 I5 I6 I7 I8 I9 I10 I11 I12 random graphs on three workers and more, with kills, stalls, lost commits and clock jumps`,
  { timeout: 60_000 + cases * 60 },
  async () => {
    const since = performance.now();
    const before = process.cpuUsage();
    const report = newReport(0, only === undefined ? `${base} .. ${base + cases - 1}` : String(only), null);
    await withoutStacks(async () => {
      for (const seed of only === undefined ? Array.from({ length: cases }, (_, i) => base + i) : [only]) {
        const verdict = await simulateWorkers(seed, options);
        if (verdict.faults.length > 0) throw new Error(await explainWorkers(seed, options));
        addCase(report, verdict.played, verdict.journals, verdict.compared);
      }
    });
    const { user, system } = process.cpuUsage(before);
    const wall = ((performance.now() - since) / report.cases).toFixed(2);
    const cpu = ((user + system) / 1000 / report.cases).toFixed(2);
    console.log(`workers: ${wall} ms per case (processor ${cpu} ms), ${JSON.stringify(report)}`);
    const tooFew = [
      ...Object.entries(least).filter(([what, n]) => report[what as keyof typeof least] / report.cases < n),
      ...Object.entries(report.faults).filter(([, times]) => times / report.cases < leastOfFaults),
    ];
    expect(only === undefined && cases >= 300 ? tooFew : []).toEqual([]);
  },
);
