/**
 * What comes of the items of an ephemeral generator, while it runs: nothing of it is recorded, and nothing outside knows of
 * it until all of it is through. Then what was made of the items is one record, and the same event for the run whether it
 * is live or replayed.
 *
 * Z1  No step in it changes anything outside of it: no collector fires, no failure counts, no choice and no dropped item is
 *     recorded. To the rest of the run its items come all at once, with their end.
 * Z2  A failed attempt, a crash, a sweep or a failure of the generator leaves nothing of it, as if it had yielded nothing.
 * Z3  A failure in it that ends the run, or the body of a fallback around it, is told as soon as it happens.
 */
import type { Context } from "./context.ts";
import { FailureLog, type Failure } from "./failure.ts";
import type { Pending } from "./pending.ts";
import type { StreamInstance } from "./stream.ts";

export class Region {
  readonly pending: Pending;
  readonly failures: FailureLog = new FailureLog();
  /** What the generator returned; asked when the items are through. */
  value: unknown = undefined;
  /** Z3 */
  cut: { readonly failure: Failure; readonly raises: boolean; readonly catcher: number } | null = null;

  constructor(pending: Pending) {
    this.pending = pending;
  }
}

/** The region that the context lies in. */
export function regionAround(context: Context): StreamInstance | null {
  const { ephemeral } = context.scope;
  if (ephemeral < 0) return null;
  let at: Context | null = context;
  while (at !== null && at.stream?.plan.id !== ephemeral) at = at.parent;
  return at?.stream ?? null;
}
