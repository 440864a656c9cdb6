/**
 * Y2  When the body of a workflow is over nobody waits for what it had called: what is open of it is swept.
 */
import type { Pending } from "../state/pending.ts";
import { Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { abandon } from "./abandon.ts";
import { findStream } from "./streams.ts";

export function sweepUndelivered(run: RunState, { context, slot }: Pending): void {
  const stream = context.abandoned ? undefined : findStream(context, slot.stream);
  for (let item = stream?.first ?? null; item !== null;) {
    const { next } = item;
    abandon(run, item, Resolution.swept);
    item = next;
  }
}
