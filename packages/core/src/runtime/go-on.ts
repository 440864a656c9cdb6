import { openInvocations } from "../state/invocations.ts";
import { isCurrent, Todo } from "../state/pending.ts";
import { isGenerator } from "./generators.ts";
import { reportFailure } from "./failure.ts";
import { notResumable } from "./live-ports.ts";
import type { Runner } from "./runner.ts";
import { mayHaveRun, refuseSecondRun } from "./unsafe.ts";

/** Puts what a resumed run had under way back into its effects. `crashed`: nobody knows which bodies were running. */
export function goOn(runner: Runner, crashed: boolean): void {
  const { state, host } = runner;
  const now = host.clock.now();
  for (const pending of openInvocations(state)) {
    // The refusal of another one may have ended the run, and its finalizers swept it.
    if (!isCurrent(pending)) continue;
    if ((crashed || (isGenerator(pending) && pending.yielded > 0)) && mayHaveRun(pending, now))
      refuseSecondRun(runner, pending);
    else if (crashed && pending.slot.op?.live !== undefined) reportFailure(runner, pending, notResumable(pending.slot));
    else if (pending.todo !== Todo.none) {
      pending.seq = state.seq;
      state.effects.push(pending);
    }
  }
}
