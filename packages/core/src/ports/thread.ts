/** What the runs of a thread leave to the next one: rows that are read in order, each whole or a change of the one before. */
export interface NewCarriedRow {
  /** Nothing before it is needed. */
  readonly whole: boolean;
  readonly bytes: Uint8Array;
}

export interface CarriedRow extends NewCarriedRow {
  /** Position in its thread: 1, 2, … */
  readonly n: number;
  /** Who left it. */
  readonly runId: string;
}
