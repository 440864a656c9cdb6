import type { OpError } from "../events/record.ts";

/**
 * What a call of a workflow rejects with: the failure of what it called, as it was recorded. `name` is the type of the error
 * that was thrown there.
 */
export class CallError extends Error {
  readonly code: string;
  /** The node that failed, and where in the run. */
  readonly node: string;
  readonly path: string;
  /** How often it was tried. */
  readonly attempts: number;
  /** What the thrown error had as its `data`. */
  readonly data: unknown;
  /** All that is recorded of it. */
  readonly error: OpError;

  constructor(error: OpError) {
    super(error.message);
    this.name = error.type;
    this.code = error.code;
    this.node = error.node;
    this.path = error.path;
    this.attempts = error.attempts;
    this.data = error.data;
    this.error = error;
  }
}
