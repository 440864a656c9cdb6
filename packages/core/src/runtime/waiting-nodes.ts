/** Sleeps, questions and the clocks of bounded calls: invocations without a body. They hold no permit, and their due times are records. */
import { parseDuration, type Duration } from "../base/duration.ts";
import { deepFreeze } from "../base/freeze.ts";
import { SlotKind, type AskPlan } from "../model/plan.ts";
import { askedEvent, firedEvent, timerSetEvent } from "../scheduler/event.ts";
import { isCurrent, Todo, type Pending } from "../state/pending.ts";
import { questionTimedOut } from "./answer.ts";
import { expireCall, startClock } from "./call-clock.ts";
import { reportFailure } from "./failure.ts";
import type { Runner } from "./runner.ts";

/** Begins to wait, or goes on waiting after a resume. */
export function performWait(runner: Runner, pending: Pending): void {
  if (!isCurrent(pending)) return;
  if (pending.todo === Todo.wait) waitUntilDue(runner, pending);
  else if (pending.slot.kind === SlotKind.sleep) beginSleep(runner, pending);
  else if (pending.slot.kind === SlotKind.bounded) startClock(runner, pending);
  else ask(runner, pending);
}

function beginSleep(runner: Runner, pending: Pending): void {
  try {
    const ms = parseDuration(pending.input as Duration, `the duration of "${pending.slot.name}"`);
    runner.feed(timerSetEvent(pending, runner.host.clock.now() + ms));
  } catch (error) {
    reportFailure(runner, pending, error);
  }
}

function ask(runner: Runner, pending: Pending): void {
  const { timeout } = pending.slot.ask as AskPlan;
  try {
    if (runner.recorder !== null) deepFreeze(pending.input);
    const encoded = runner.recorder?.encode(pending.input, "payload") ?? "";
    runner.feed(askedEvent(pending, timeout === 0 ? null : runner.host.clock.now() + timeout), encoded);
  } catch (error) {
    reportFailure(runner, pending, error);
  }
}

function waitUntilDue(runner: Runner, pending: Pending): void {
  runner.waits.add(pending, pending.due === 0 ? null : pending.due, () => {
    if (pending.slot.kind === SlotKind.sleep) runner.feed(firedEvent(pending));
    else if (pending.slot.kind === SlotKind.bounded) expireCall(runner, pending);
    else questionTimedOut(runner, pending);
    runner.pump();
  });
}
