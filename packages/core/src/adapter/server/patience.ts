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
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (failures.isTransient(error)) conflicts += 1;
      else if (!failures.isLost(error) || performance.now() + pauseMs(tries) > deadline || isGivenUp()) throw error;
      if (conflicts > mostConflicts) throw error;
    }
    await pauseAfter(tries);
  }
}

/** So many tries failed; before the next one. Jitter keeps many processes that lost one server from coming back all at once. */
export async function pauseAfter(tries: number): Promise<void> {
  await sleep(pauseMs(tries) * (0.5 + Math.random() / 2));
}

function pauseMs(tries: number): number {
  return Math.min(firstPauseMs * 2 ** (tries - 1), longestPauseMs);
}
