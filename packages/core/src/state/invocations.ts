import type { Pending } from "./pending.ts";
import { Resolution } from "./resolution.ts";
import type { RunState } from "./run-state.ts";
import { openContexts } from "./walk.ts";

/** Dispatched invocations that have not answered, in the order they were dispatched. */
export function openInvocations(run: RunState): Pending[] {
  const found: Pending[] = [];
  for (const context of openContexts(run.root)) {
    for (let local = 0; local < context.states.length; local++) {
      if (context.states[local] === Resolution.running) found.push(context.values[local] as Pending);
    }
  }
  return found.toSorted((a, b) => a.seq - b.seq);
}
