import { count, plural } from "../format/number.ts";

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
  /** Waiting for an answer from outside. */
  readonly asked: number;
  /** Items of a generator. */
  readonly yielded: number;
  /** Finished before this process took the run over. */
  readonly restored: number;
  /** Invocations, or items of a generator, per second. */
  readonly perSecond: number;
}

/** Invocations that need nothing more. */
export function settledOf(node: NodeProgress): number {
  return node.done + node.failed + node.skipped + node.absent;
}

/** Nothing known of is left to do. */
export function isOver(node: NodeProgress): boolean {
  return node.total > 0 && node.inFlight + node.retrying + node.asked === 0 && settledOf(node) >= node.total;
}

/** `12/40`, `12/40+` while a generator may still add to the total, `6,046 items` for a generator, `waiting` before. */
export function amountOf(node: NodeProgress, open: boolean): string {
  if (node.yielded > 0) return plural(node.yielded, "item");
  if (node.total === 0) return "waiting";
  return `${count(settledOf(node))}/${count(node.total)}${open ? "+" : ""}`;
}
