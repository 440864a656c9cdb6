import type { Pending } from "./pending.ts";
import type { RunState } from "./run-state.ts";

/** Until when all attempts of an invocation may take, in epoch milliseconds; Infinity when nothing was set. */
export function totalDeadline(run: RunState, pending: Pending): number {
  return run.totals?.get(pending) ?? Infinity;
}
