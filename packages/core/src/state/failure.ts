import type { ErrorEntry, OpError } from "../events/record.ts";

/** One failed invocation; shared by everything it skips. */
export interface Failure {
  readonly error: OpError;
  /** Slot that the failure is reported under. */
  readonly anchor: number;
  readonly handled: boolean;
}

/** Failures by node, counted, the first kept. */
export class FailureLog {
  #entries: Map<string, ErrorEntry> | null = null;

  add(failure: Failure, cause?: string): void {
    const { error } = failure;
    this.#entries ??= new Map();
    const known = this.#entries.get(error.node);
    if (known !== undefined) {
      this.#entries.set(error.node, { ...known, count: known.count + 1, handled: known.handled && failure.handled });
      return;
    }
    const { node, path, code, type, message, attempts } = error;
    this.#entries.set(node, {
      node,
      path,
      code,
      type,
      message,
      attempts,
      count: 1,
      handled: failure.handled,
      ...(cause === undefined ? {} : { cause }),
    });
  }

  list(): ErrorEntry[] {
    return this.#entries === null ? [] : [...this.#entries.values()];
  }
}
