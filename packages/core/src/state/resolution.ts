/**
 * How far a slot is in one context, as one small integer.
 *
 * Zero or more: waiting. The low 16 bits count unresolved dependencies; `waitsAbsent` and `waitsSwept` remember that
 * one of those that did resolve had no value, so that a failure among the rest can still win (a failed input decides at
 * once, an absent one only when all others are known: the outcome must not depend on who finished first).
 */
export const Resolution = {
  value: -1,
  /** Has an error entry of its own; the slot's value is the `Failure`. */
  failed: -2,
  /** Something before it failed; the slot's value is the root `Failure`. */
  skipped: -3,
  untaken: -4,
  swept: -5,
  absent: -6,
  /** Ready, behind others in its lane. */
  queued: -10,
  /** Dispatched; the slot's value is its `Pending`. */
  running: -11,
  /** Let into its lane, not yet dispatched. */
  admitted: -12,
  /** A block whose contexts are open; the slot's value is its `BlockInstance`. */
  open: -13,
} as const;

export const waitsAbsent: number = 1 << 16;
export const waitsSwept: number = 1 << 17;
export const missingMask: number = waitsAbsent - 1;

export function isResolved(state: number): boolean {
  return state < 0 && state > Resolution.queued;
}

export function isBroken(state: number): boolean {
  return state === Resolution.failed || state === Resolution.skipped;
}

const names: Readonly<Record<number, string>> = {
  [Resolution.value]: "value",
  [Resolution.failed]: "failed",
  [Resolution.skipped]: "skipped",
  [Resolution.untaken]: "untaken",
  [Resolution.swept]: "swept",
  [Resolution.absent]: "absent",
  [Resolution.queued]: "queued",
  [Resolution.running]: "running",
  [Resolution.open]: "open",
};

export function resolutionName(state: number): string {
  return names[state] ?? "waiting";
}
