/**
 * The same theorem with several engines at once over one store: wherever one of them is killed, stands still until others
 * have its runs, loses a commit or does not hear of it, every run comes to its end, and to what the reference interpreter
 * makes of its journal; nobody writes over another, and nothing that was acknowledged is lost. A file per durability, so
 * that they are played side by side.
 *
 * `MILLRACE_CASES` and `MILLRACE_SEED` as in `share.ts`.
 */
import { checkInvariants } from "../../../src/state/invariants.ts";
import type { Durability } from "../../../src/runtime/outcome.ts";
import { durabilityOf, graphOf, Workers } from "../../../src/testing/simulate-workers.ts";
import { addCase, newReport, type SimulationReport } from "../../../src/testing/world/report.ts";
import { Constructs } from "./constructs.ts";
import { explainWorkers } from "./failing-case.ts";
import { drawn, isUsual } from "./share.ts";
import { Tally } from "./tally.ts";
import { Watchdog } from "./watchdog.ts";
import { withoutStacks } from "./without-stacks.ts";

const { only, base, workers: cases } = drawn;
export const timeout: number = 120_000 + cases * 40;

/** Of these, per case, there is at least so much: a property of nothing would hold too. */
const least = { records: 8, takeovers: 0.7, refusedWrites: 0.08, bodiesAgain: 0.1, answers: 0.05, compared: 0.3 };
const leastOfFaults = 0.02;

export interface Shown {
  readonly report: SimulationReport;
  /** What there was nothing of, or too little. */
  readonly tooFew: readonly string[];
}

/** Plays the share of this durability, and prints what there was in it. Throws at the first case that is not right, cut down and told in full. */
export async function playWorkers(durability: Durability): Promise<Shown> {
  const since = performance.now();
  const before = process.cpuUsage();
  const report = newReport(0, String(only ?? `${base} .. ${base + cases - 1}`), null);
  const tally = new Tally();
  const constructs = new Constructs();
  const options = { check: checkInvariants };
  const workers = new Workers(options);
  await using watchdog = new Watchdog(`workers, ${durability}`, "test/property/workers");
  await withoutStacks(async () => {
    for (const seed of seedsOf(durability)) {
      watchdog.begin(seed);
      const { faults, graph, played, journals, compared } = await workers.play(seed);
      watchdog.rest();
      if (faults.length > 0) throw new Error(await explainWorkers(seed, options));
      addCase(report, played, journals, compared);
      tally.add(graph, ...journals);
      constructs.add(graph.plan);
    }
  });
  const { user, system } = process.cpuUsage(before);
  const wall = ((performance.now() - since) / report.cases).toFixed(2);
  // Processor time does not tell how busy the machine was.
  const cpu = ((user + system) / 1000 / report.cases).toFixed(2);
  const counts = JSON.stringify({ ...report, tally, constructs: constructs.cases });
  console.log(`workers, ${durability}: ${wall} ms per case (processor ${cpu} ms), ${counts}`);
  return { report, tooFew: isUsual ? tooFew(report, tally, constructs, durability) : [] };
}

function tooFew(report: SimulationReport, tally: Tally, { missing }: Constructs, durability: Durability): string[] {
  const per = (count: number): number => count / report.cases;
  return [
    ...Object.entries(least).flatMap(([what, n]) => (per(report[what as keyof typeof least]) < n ? [what] : [])),
    ...Object.entries(report.faults).flatMap(([kind, times]) => (per(times) < leastOfFaults ? [kind] : [])),
    ...tally.tooFewTogether(durability),
    ...missing.filter((construct) => durability !== "exit" || construct !== "unsafe"),
  ];
}

function* seedsOf(durability: Durability): Generator<number> {
  const seeds = only === undefined ? Array.from({ length: cases }, (_, i) => base + i) : [only];
  for (const seed of seeds) if (durabilityOf(graphOf(seed)) === durability) yield seed;
}
