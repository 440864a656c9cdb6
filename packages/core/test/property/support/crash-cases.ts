/**
 * The theorem: whatever the graph, wherever the process dies and in whatever order things happen, a run that goes on in
 * another engine comes to what the reference interpreter makes of its journal, and to what an uninterrupted run comes to
 * if order does not show in the graph; nothing that was over begins again; and the invariants of the journal, of the run
 * row and of the kernel's state hold at every step. A file per durability, so that they are played side by side.
 *
 * `MILLRACE_CASES=n` plays n cases instead; `MILLRACE_SEED=n` plays the one of that seed alone.
 */
import { checkInvariants } from "../../../src/state/invariants.ts";
import type { Durability } from "../../../src/runtime/outcome.ts";
import { simulateSeed, type SimulateOptions } from "../../../src/testing/simulate.ts";
import { explainFailure } from "./failing-case.ts";
import { drawn, isUsual } from "./share.ts";
import { Tally } from "./tally.ts";
import { Watchdog } from "./watchdog.ts";
import { withoutStacks } from "./without-stacks.ts";

const { only, base, alone: cases } = drawn;
/** Few cases need not have all that is rare. */
export const isTold: boolean = isUsual;
export const timeout: number = 120_000 + cases * 40;

/** Each case has one durability: of five, two have `sync`, two `async`, one `exit`. */
const shares: Readonly<Record<Durability, readonly number[]>> = { sync: [0, 3], async: [1, 4], exit: [2] };

/** Plays the share of this durability, and prints what there was in it. Throws at the first case that is not right, cut down and told in full. */
export async function playShare(durability: Durability): Promise<Tally> {
  const since = performance.now();
  const before = process.cpuUsage();
  const tally = await withoutStacks(() => playAll(seedsOf(durability), { durability, check: checkInvariants }));
  const { user, system } = process.cpuUsage(before);
  const wall = ((performance.now() - since) / tally.cases).toFixed(2);
  // Processor time does not tell how busy the machine was.
  const cpu = ((user + system) / 1000 / tally.cases).toFixed(2);
  console.log(
    `${durability}: seeds ${only ?? `${base} .. ${base + cases - 1}`}, ${wall} ms per case (processor ${cpu} ms), ${JSON.stringify(tally)}`,
  );
  return tally;
}

async function playAll(seeds: Iterable<number>, options: SimulateOptions): Promise<Tally> {
  const tally = new Tally();
  await using watchdog = new Watchdog(`crashes, ${options.durability}`, "test/property/crash-resume");
  for (const seed of seeds) {
    watchdog.begin(seed);
    const verdict = await simulateSeed(seed, options);
    watchdog.rest();
    if (verdict.faults.length > 0) throw new Error(await explainFailure(seed, options));
    tally.add(verdict.graph, verdict.journal);
    tally.addLives(verdict.lives);
  }
  return tally;
}

function* seedsOf(durability: Durability): Generator<number> {
  if (only !== undefined) yield only;
  else for (let i = 0; i < cases; i++) if (shares[durability].includes(i % 5)) yield base + i;
}
