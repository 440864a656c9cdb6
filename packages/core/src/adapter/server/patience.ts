import { setTimeout as sleep } from "node:timers/promises";

import type { Failures } from "./failures.ts";

const firstPauseMs = 20;
const longestPauseMs = 500;
/** Conflicts between transactions end with one of them going on; this many in a row are a fault. */
const mostConflicts = 5;

export interface Patience {
  /** How long a server that cannot be reached is waited for, milliseconds. */
  readonly ms: number;
  readonly failures: Pick<Failures, "isLost" | "isTransient">;
  /** Nobody waits any more. */
  readonly isGivenUp?: (() => boolean) | undefined;
}

/** Of a whole backend, which tells its callers what became of it. */
export interface ServerPatience extends Patience {
  readonly failures: Failures;
}

/**
 * Does the work until it succeeds or fails for a reason of its own. A connection that is lost, or cannot be made, is waited
 * for, with longer and longer pauses. The work must be one that may happen twice.
 */
export async function patiently<Result>(
  { ms, failures, isGivenUp = () => false }: Patience,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + ms;
  let conflicts = 0;
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (failures.isTransient(error)) conflicts += 1;
      else if (!failures.isLost(error) || performance.now() + pause > deadline || isGivenUp()) throw error;
      if (conflicts > mostConflicts) throw error;
    }
    // Jitter keeps many processes that lost one server from coming back all at once.
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}
