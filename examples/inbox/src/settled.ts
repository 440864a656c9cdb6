import type { OpError, Settled } from "millrace";

/** The values of the items that succeeded, in order. */
export function fulfilled<T>(results: readonly Settled<T>[]): T[] {
  return results.flatMap((result) => (result.ok ? [result.value] : []));
}

/** The first cause of every item that failed, in order. */
export function rejected(results: readonly Settled<unknown>[]): OpError[] {
  return results.flatMap((result) => (result.ok ? [] : [result.error]));
}
