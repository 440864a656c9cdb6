/** What became of a body in doubt: what it came to, that it shall run again, or that it failed, and why. */
export type Verdict = { readonly output: unknown } | { readonly rerun: true } | { readonly fail: string };

/** How a question about a body in doubt is headed. */
export function doubtTitle(node: string): string {
  return `What became of "${node}"?`;
}

/** A question that waits for its answer. */
export interface Interrupt {
  /** Names this question of this run; the same after a crash. */
  readonly id: string;
  /** Scoped name of the node: `gate/then/approve`. */
  readonly node: string;
  readonly path: string;
  readonly payload: unknown;
  /** Until when it is waited for, in milliseconds since 1970, UTC; absent: for ever. */
  readonly due?: number;
  readonly title?: string;
  /** When it was asked, in milliseconds since 1970, UTC: where it is read from the journal, as `engine.get` does. */
  readonly askedAt?: number;
}
