/**
 * The two properties for as long as one likes: `MILLRACE_MINUTES=n` minutes (default 1), seeds from `MILLRACE_SOAK_SEED` on
 * (default: from the clock). A seed that fails is told with everything, and becomes a regression.
 */
import { expect, test } from "vitest";
import type { Durability } from "../../src/runtime/outcome.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { simulateSeed } from "../../src/testing/simulate.ts";
import { simulateWorkers } from "../../src/testing/simulate-workers.ts";
import { explainFailure, explainWorkers } from "./support/failing-case.ts";

const { env } = process;
const durabilities = ["sync", "async", "exit"] as const;
const ms = Number(env["MILLRACE_MINUTES"] ?? 1) * 60_000;
const seed = Number(env["MILLRACE_SOAK_SEED"] ?? Date.now() * 1_000);

test(`random graphs, ${ms / 60_000} minutes of them from seed ${seed} on: one worker after the other, and several at once`, async () => {
  const until = performance.now() + ms;
  const { stackTraceLimit } = Error;
  let cases = 0;
  // Ops fail by the thousand, and nobody reads where.
  Error.stackTraceLimit = 0;
  try {
    for (; performance.now() < until; cases++) {
      const now = seed + cases;
      const options = { durability: durabilities[now % 3] as Durability, check: checkInvariants };
      if ((await simulateSeed(now, options)).faults.length > 0) throw new Error(await explainFailure(now, options));
      if ((await simulateWorkers(now, options)).faults.length > 0) throw new Error(await explainWorkers(now, options));
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    console.log(`random graphs: ${cases} seeds from ${seed} on, each alone and with several workers`);
  }
  expect(cases).toBeGreaterThan(0);
});
