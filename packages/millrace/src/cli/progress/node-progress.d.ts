/** One node of a run as progress views see it. */
export interface NodeProgress {
  readonly node: string;
  /** Invocations known of so far; grows while streams open items. */
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  /** Resolved without running: skipped because of a failure, absent, swept or untaken. */
  readonly skipped: number;
  readonly absent: number;
  readonly inFlight: number;
  /** Waiting for their next attempt. */
  readonly retrying: number;
  /** Items of a generator. */
  readonly yielded: number;
  /** Finished before this process took the run over. */
  readonly restored: number;
  /** Invocations, or items of a generator, per second. */
  readonly perSecond: number;
}
/** Invocations that need nothing more. */
export declare function settledOf(node: NodeProgress): number;
/** Nothing known of is left to do. */
export declare function isOver(node: NodeProgress): boolean;
/** `12/40`, `12/40+` while a generator may still add to the total, `6,046 items` for a generator, `waiting` before. */
export declare function amountOf(node: NodeProgress, open: boolean): string;
