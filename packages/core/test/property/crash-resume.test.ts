/**
 * The theorem: whatever the graph, wherever the process dies and in whatever order things happen, a run that goes on in
 * another engine comes to what the reference interpreter makes of its journal; nothing that was over begins again; and
 * the invariants of the journal, of the run row and of the kernel's state hold at every step.
 *
 * `MILLRACE_CASES=n` plays n cases instead; `MILLRACE_SEED=n` plays the one of that seed and says all about it.
 */
import { describe, expect, test } from "vitest";
import { checkInvariants } from "../../src/state/invariants.ts";
import { simulateSeed, type SimulateOptions, type Verdict } from "../../src/testing/simulate.ts";
import { explainFailure } from "./support/failing-case.ts";

const { env } = process;
const cases = Number(env["MILLRACE_CASES"] ?? 20_000);
const only = env["MILLRACE_SEED"] === undefined ? undefined : Number(env["MILLRACE_SEED"]);
/** Longer soaks see other cases each time. */
const base = cases > 20_000 ? Math.floor(Math.random() * 2 ** 40) : 1;
const timeout = 60_000 + cases * 20;

let cpuBefore = process.cpuUsage();

/** What the cases were about: a property of nothing would hold too. */
class Tally {
  cases = 0;
  crashes = 0;
  resumed = 0;
  resumedInSubgraph = 0;
  drained = 0;
  retried = 0;
  dropped = 0;
  completed = 0;
  failed = 0;
  orderFree = 0;
  records = 0;

  add({ lives, journal, graph }: Verdict): void {
    const { happenings } = journal;
    this.cases++;
    this.records += happenings.length;
    this.crashes += lives.filter(({ end }) => end === "crash").length;
    this.drained += lives.filter(({ status }) => status === "drained").length;
    if (graph.orderFree) this.orderFree++;
    for (const happening of happenings) {
      if (happening.kind === "dropped") this.dropped++;
      if (happening.kind === "attemptFailed" && happening.retryAt !== null) this.retried++;
      if (happening.kind !== "resumed") continue;
      if (happening.inFlight.length > 0) this.resumed++;
      if (happening.inFlight.some(([slot]) => graph.plan.slots[slot]?.name.includes("/"))) this.resumedInSubgraph++;
    }
    const last = happenings.at(-1);
    if (last?.kind === "ended" && last.status === "completed") this.completed++;
    if (last?.kind === "ended" && last.status === "failed") this.failed++;
  }
}

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

function* seedsOf(part: number): Generator<number> {
  if (only !== undefined) yield only;
  else for (let i = part; i < cases; i += 2) yield base + i;
}

/** Wall time and processor time per case: the first also tells how busy the machine is. */
function report(name: string, tally: Tally, since: number): void {
  const wall = (performance.now() - since) / tally.cases;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpu = (user + system) / 1000 / tally.cases;
  console.log(`${name}: seeds ${base} .. ${base + cases - 1}, ${wall.toFixed(2)} ms per case (${cpu.toFixed(2)} ms of processor time), ${JSON.stringify(tally)}`);
  cpuBefore = process.cpuUsage();
}

describe("random graphs x crash at a random record", () => {
  test("R11 R12 R17 P3.1 P3.4 P3.8a K1 sync durability: outcome of the reference interpreter, no finished body twice, no body before its cause is durable", { timeout }, async () => {
    const since = performance.now();
    const tally = await playAll(seedsOf(0), { durability: "sync", check: checkInvariants });
    report("sync", tally, since);
    if (only === undefined) expectSubstance(tally);
  });

  test("R11 R12 R17 P3.1 P3.4 P3.8b K1 async durability: the same, and only pure ops run ahead of the journal", { timeout }, async () => {
    const since = performance.now();
    const tally = await playAll(seedsOf(1), { durability: "async", check: checkInvariants });
    report("async", tally, since);
    if (only === undefined) expectSubstance(tally);
  });
});

function expectSubstance(tally: Tally): void {
  const share = (n: number): number => n / tally.cases;
  expect(share(tally.crashes)).toBeGreaterThan(0.8);
  expect(share(tally.resumed)).toBeGreaterThan(0.4);
  expect(share(tally.resumedInSubgraph)).toBeGreaterThan(0.05);
  expect(share(tally.completed)).toBeGreaterThan(0.4);
  expect(share(tally.failed)).toBeGreaterThan(0.1);
  expect(share(tally.orderFree)).toBeGreaterThan(0.3);
  expect(share(tally.drained)).toBeGreaterThan(0.02);
  expect(share(tally.retried)).toBeGreaterThan(0.1);
  expect(share(tally.dropped)).toBeGreaterThan(0.01);
}
