import { errorOf } from "../base/error.ts";
import { resumedEvent } from "../scheduler/event.ts";
import { crashesOf, crashLimit } from "../state/crashes.ts";
import { openInvocations } from "../state/invocations.ts";
import { isCurrent, Todo, type Pending } from "../state/pending.ts";
import { isInDoubt } from "../state/unsafe-bodies.ts";
import { wakeAll } from "./conversations.ts";
import { expireOverdue } from "./call-clock.ts";
import { reportFailure } from "./failure.ts";
import { awaitVerdict, mayHaveBegun, refuseSecondRun, settleInDoubt } from "./in-doubt.ts";
import { notResumable } from "./live-ports.ts";
import type { Runner } from "./runner.ts";

/** How the run came to stop. */
interface Stop {
  /** In the midst of its work: nobody knows which bodies were running. */
  readonly cut: boolean;
  /** Because its process died. */
  readonly crashed: boolean;
}

/** Puts what a resumed run had under way back into its effects. */
export function goOn(runner: Runner, { cut, crashed }: Stop): void {
  const { state, host } = runner;
  const now = host.clock.now();
  // Where nothing is durable before the end nobody knows which bodies were at work at the crash.
  runner.talks.crashed = crashed && runner.options.durability !== "exit";
  runner.feed(resumedEvent(runner.talks.crashed ? now : 0));
  const { seq } = state;
  const open = openInvocations(state);
  for (const pending of open) if (isCurrent(pending) && pending.body === null) endLost(runner, pending, cut, now);
  expireOverdue(runner, open, now);
  for (const pending of open) {
    if (!isCurrent(pending)) continue;
    if (isInDoubt(pending)) awaitVerdict(runner, pending);
    // What these failures let go on is among the effects already.
    else if (pending.todo !== Todo.none && pending.seq <= seq) {
      pending.seq = state.seq;
      state.effects.push(pending);
    }
  }
  wakeAll(runner);
}

/** What cannot go on in another process fails, or is asked about. */
function endLost(runner: Runner, pending: Pending, cut: boolean, now: number): void {
  const { op } = pending.slot;
  if (op === null) return;
  if (op.effect === "unsafe" && pending.yielded > 0) refuseSecondRun(runner, pending);
  else if (cut && mayHaveBegun(runner, pending, now)) settleInDoubt(runner, pending);
  else {
    const error = whyLost(runner, pending, cut);
    if (error !== null) reportFailure(runner, pending, error);
  }
}

function whyLost({ state }: Runner, pending: Pending, cut: boolean): Error | null {
  const { slot, yielded } = pending;
  if (slot.op?.live !== undefined) return cut ? notResumable(slot) : null;
  if (slot.op?.onResume === "fail" && yielded > 0)
    return errorOf("NotResumable.generator", { node: slot.name, count: yielded });
  const count = crashesOf(state, pending);
  return cut && count >= crashLimit ? errorOf("CrashLoop", { node: slot.name, count }) : null;
}
