import { errorOf, type MillraceError } from "../base/error.ts";

/** `now`: the epoch in the database; undefined: there is no such run any more. */
export function leaseLost(runId: string, epoch: number, now: number | undefined): MillraceError {
  const by = now === undefined ? "the run is gone" : `epoch ${epoch} of this engine, epoch ${now} in the database`;
  return errorOf("LeaseLost", { runId, by });
}
