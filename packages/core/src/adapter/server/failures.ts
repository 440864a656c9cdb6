import type { MillraceError } from "../../base/error.ts";

/** How the errors of a client and of its server are to be taken. */
export interface Failures {
  /**
   * The connection is gone, or never came: what was under way may have happened or not, and may be tried on another one. Also
   * while the server starts, stops, or has no place left.
   */
  isLost(error: unknown): boolean;
  /** It did not happen, through no fault of its own, and another try may do better. */
  isTransient(error: unknown): boolean;
  /** Somebody else held a row for longer than anybody of ours does. */
  isHeldUp(error: unknown): boolean;
  /** There is no room; nothing happened. */
  isFull(error: unknown): boolean;
  /** What to tell the caller: nothing of it holds a password. */
  toError(error: unknown): MillraceError;
}
