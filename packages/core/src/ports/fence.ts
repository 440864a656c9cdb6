/** What has to happen to a store that was put back as it stood earlier (B15, H28). */
export interface FenceRequest {
  /** True: runs stay as they stood, and whoever comes goes on with them. False: all of them become `needs_review`. */
  readonly resume: boolean;
  /** Wall clock of who asks, for `updatedAt`, milliseconds since 1970. */
  readonly at: number;
}

/** What it did. */
export interface Fenced {
  /** Runs that had not ended: their epochs were raised, and nobody has them now. */
  readonly runs: number;
  /** Those among them that the store said somebody had. */
  readonly owned: number;
}

/**
 * By how much epochs and the numbers of owners are raised: more than a run or a store goes through between a backup and the
 * moment when it is put back.
 */
export const fenceStep = 1_000_000;

/**
 * Of a store that gives its owners numbers: the epoch of the runs that one creates. After a restore those numbers begin behind
 * the next step, so that a run that is begun again under an id of before has another epoch than it had.
 */
export function firstEpochOf(ownerN: number): number {
  return 1 + Math.floor(ownerN / fenceStep) * fenceStep;
}
