/**
 * The properties of random graphs for as long as one likes: `MILLRACE_MINUTES=n` minutes (default 1), seeds from
 * `MILLRACE_SOAK_SEED` on (default: from the clock). A seed that fails is told with everything and the command that plays it
 * alone, and becomes a regression.
 */
import { expect, test } from "vitest";
import { checkInvariants } from "../../src/state/invariants.ts";
import { Dice } from "../../src/testing/dice.ts";
import { forkAt, originOf } from "../../src/testing/simulate-fork.ts";
import { simulateSeed } from "../../src/testing/simulate.ts";
import { Workers } from "../../src/testing/simulate-workers.ts";
import { addCase, newReport } from "../../src/testing/world/report.ts";
import { explainFailure, explainWorkers } from "./support/failing-case.ts";
import { Tally } from "./support/tally.ts";
import { Watchdog } from "./support/watchdog.ts";

const { env } = process;
const ms = Number(env["MILLRACE_MINUTES"] ?? 1) * 60_000;
const first = Number(env["MILLRACE_SOAK_SEED"] ?? Date.now() * 1_000);
const options = { check: checkInvariants };
const durabilities = ["sync", "async", "exit"] as const;

const alone = new Tally();
const together = newReport(0, `from ${first} on`, null);
const workers = new Workers(options);
let forks = 0;

function failed(seed: number, file: string, what: string): Error {
  return new Error(`${what}\nagain: MILLRACE_SEED=${seed} npx vitest run --project core ${file}`);
}

async function playAlone(seed: number): Promise<void> {
  const chosen = { ...options, durability: durabilities[seed % durabilities.length] ?? "sync" };
  const verdict = await simulateSeed(seed, chosen);
  if (verdict.faults.length > 0) throw failed(seed, "crash-resume", await explainFailure(seed, chosen));
  alone.add(verdict.graph, verdict.journal);
  alone.addLives(verdict.lives);
}

async function playTogether(seed: number): Promise<void> {
  const { faults, played, journals, compared } = await workers.play(seed);
  if (faults.length > 0) throw failed(seed, "workers", await explainWorkers(seed, options));
  addCase(together, played, journals, compared);
}

/** At one record. */
async function playFork(seed: number): Promise<void> {
  const origin = await originOf(seed, checkInvariants);
  const at = 1 + new Dice(seed, 7).below(Math.max(1, origin.journal.row.lastSeq - 1));
  const verdict = await forkAt(origin, { at });
  const faults = [...origin.faults, ...(verdict?.faults ?? [])];
  if (faults.length > 0) throw failed(seed, "forks", `seed ${seed}, forked at ${at}:\n${faults.join("\n")}`);
  if (verdict !== null) forks++;
}

test(`random graphs for ${ms / 60_000} minutes, seeds from ${first} on: one worker after the other, several at once, and a fork`, async () => {
  const since = performance.now();
  const { stackTraceLimit } = Error;
  // Ops fail by the thousand, and nobody reads where.
  Error.stackTraceLimit = 0;
  let minutes = 1;
  await using watchdog = new Watchdog(
    "random graphs",
    "test/property/crash-resume test/property/workers test/property/forks",
    600_000,
  );
  try {
    for (let seed = first; performance.now() - since < ms; seed++) {
      watchdog.begin(seed);
      await playAlone(seed);
      await playTogether(seed);
      await playFork(seed);
      if (performance.now() - since > minutes * 60_000) console.log(`${minutes++} minutes: ${alone.cases} seeds`);
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    console.log(
      `random graphs: seeds ${first} to ${first + alone.cases - 1}, ${forks} forks\nalone: ${JSON.stringify(alone)}\nseveral workers: ${JSON.stringify(together)}`,
    );
  }
  expect(alone.cases).toBeGreaterThan(0);
});
