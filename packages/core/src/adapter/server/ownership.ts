import { parseDuration, type Duration } from "../../base/duration.ts";
import { MillraceError } from "../../base/error.ts";

export interface OwnershipOptions {
  /**
   * How long the runs of a process that died without a word stay with it; it renews three times as often, on a thread of its
   * own. At least a second. Default `"10s"`.
   */
  readonly lease?: Duration | undefined;
  /**
   * When the process's loop has not come round for so long, the lease is given up: a process that hangs must not keep its
   * runs. Default `"5m"`.
   */
  readonly stuckAfter?: Duration | undefined;
  /**
   * How long calls go on trying while the server cannot be reached; then `DatabaseUnavailable`. `open` does not wait.
   * Default: as long as `lease`, after which others may have the runs anyway.
   */
  readonly patience?: Duration | undefined;
}

/** Milliseconds. */
export interface OwnershipTimes {
  readonly leaseMs: number;
  readonly stuckAfterMs: number;
  readonly patienceMs: number;
}

/**
 * `call`: for messages, as `postgres(…)`.
 *
 * @throws MillraceError `InvalidOption`
 */
export function ownershipTimes(
  { lease = "10s", stuckAfter = "5m", patience = lease }: OwnershipOptions,
  call: string,
): OwnershipTimes {
  const leaseMs = parseDuration(lease, `${call}.lease`);
  if (leaseMs < 1_000) throw new MillraceError("InvalidOption", `${call}: a lease lasts at least a second`);
  return {
    leaseMs,
    stuckAfterMs: parseDuration(stuckAfter, `${call}.stuckAfter`),
    patienceMs: parseDuration(patience, `${call}.patience`),
  };
}
