/** What ends a question: an answer, or that nobody gave one. */
import { errorOf } from "../base/error.ts";
import { deepFreeze } from "../base/freeze.ts";
import type { AskPlan } from "../model/plan.ts";
import { answeredEvent, BY_TIMEOUT } from "../scheduler/event.ts";
import type { Pending } from "../state/pending.ts";
import { reportFailure } from "./failure.ts";
import type { Runner } from "./runner.ts";

/** Nobody answered in time. */
export function answerTimeout(runner: Runner, pending: Pending): void {
  const { otherwise, timeout } = pending.slot.ask as AskPlan;
  if (otherwise !== null) {
    accept(runner, pending, otherwise.value, BY_TIMEOUT);
    return;
  }
  reportFailure(runner, pending, errorOf("InterruptTimeout", { node: pending.slot.name, timeout }));
}

/** Takes a checked answer; the first one counts. */
export function accept(runner: Runner, pending: Pending, answer: unknown, by: string): void {
  runner.waits.cancel(pending);
  const encoded = runner.recorder?.encode(answer, "answer") ?? "";
  if (runner.recorder !== null) deepFreeze(answer);
  runner.feed(answeredEvent(pending, answer, by), encoded);
}
