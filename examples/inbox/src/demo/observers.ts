import type { Observer } from "millrace";

/** One observer that tells all of them, in this order. */
export function observers(all: readonly Observer[]): Observer {
  return {
    runStarted: (event) => all.forEach((one) => one.runStarted?.(event)),
    expected: (event) => all.forEach((one) => one.expected?.(event)),
    attemptStarted: (event) => all.forEach((one) => one.attemptStarted?.(event)),
    yielded: (event) => all.forEach((one) => one.yielded?.(event)),
    attemptFailed: (event) => all.forEach((one) => one.attemptFailed?.(event)),
    finished: (event) => all.forEach((one) => one.finished?.(event)),
    settled: (event) => all.forEach((one) => one.settled?.(event)),
    runEnded: (event) => all.forEach((one) => one.runEnded?.(event)),
  };
}
