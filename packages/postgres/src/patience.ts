import { setTimeout as sleep } from "node:timers/promises";

import { isLost, isTransient } from "./failure.ts";

const firstPauseMs = 20;
const longestPauseMs = 500;
/** Conflicts between transactions end with one of them going on; this many in a row are a fault. */
const mostConflicts = 5;

/**
 * Does the work until it succeeds or fails for a reason of its own. A connection that is lost, or cannot be made, is waited
 * for: for `patienceMs`, with longer and longer pauses. The work must be one that may happen twice.
 */
export async function patiently<Result>(
  patienceMs: number,
  work: () => Promise<Result>,
  isGivenUp: () => boolean = () => false,
): Promise<Result> {
  const deadline = performance.now() + patienceMs;
  let conflicts = 0;
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (isTransient(error)) conflicts += 1;
      else if (!isLost(error) || performance.now() + pause > deadline || isGivenUp()) throw error;
      if (conflicts > mostConflicts) throw error;
    }
    // Jitter keeps many processes that lost one server from coming back all at once.
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}
