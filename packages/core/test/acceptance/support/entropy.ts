import type { Entropy } from "../../../src/index.ts";

/** Randomness that always says the same. */
export function constantEntropy(value: number): Entropy {
  let runs = 0;
  return { random: () => value, runId: () => `run-${++runs}-${Math.random().toString(36).slice(2)}` };
}
