import { openInvocations } from "../state/invocations.ts";
import { isCurrent, Todo, type Pending } from "../state/pending.ts";
import { expireOverdue } from "./call-clock.ts";
import { isGenerator } from "./generators.ts";
import { reportFailure } from "./failure.ts";
import { notResumable } from "./live-ports.ts";
import type { Runner } from "./runner.ts";
import { mayHaveRun, refuseSecondRun } from "./unsafe.ts";

/** Puts what a resumed run had under way back into its effects. `crashed`: nobody knows which bodies were running. */
export function goOn(runner: Runner, crashed: boolean): void {
  const { state, host } = runner;
  const { seq } = state;
  const now = host.clock.now();
  const open = openInvocations(state);
  for (const pending of open) if (isCurrent(pending)) endLost(runner, pending, crashed, now);
  expireOverdue(runner, open, now);
  for (const pending of open) {
    // What these failures let go on is among the effects already.
    if (pending.todo === Todo.none || pending.seq > seq || !isCurrent(pending)) continue;
    pending.seq = state.seq;
    state.effects.push(pending);
  }
}

/** What cannot go on in another process fails. */
function endLost(runner: Runner, pending: Pending, crashed: boolean, now: number): void {
  if ((crashed || (isGenerator(pending) && pending.yielded > 0)) && mayHaveRun(pending, now))
    refuseSecondRun(runner, pending);
  else if (crashed && pending.slot.op?.live !== undefined) reportFailure(runner, pending, notResumable(pending.slot));
}
