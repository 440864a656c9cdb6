/** Calls of graphs that may take only so long. Their due moment is a record, as that of a sleep: a crash changes nothing. */
import { durationText } from "../base/duration.ts";
import { SlotKind } from "../model/plan.ts";
import { timerSetEvent } from "../scheduler/event.ts";
import { isCurrent, Todo, type Pending } from "../state/pending.ts";
import { TimeoutError } from "./describe-error.ts";
import { reportFailure } from "./failure.ts";
import type { Runner } from "./runner.ts";

export function startClock(runner: Runner, pending: Pending): void {
  runner.feed(timerSetEvent(pending, runner.host.clock.now() + limitOf(pending)));
}

/** The failure is the record: what it says is as it was, whatever the limit is by then. */
export function expireCall(runner: Runner, pending: Pending): void {
  const message = `graph "${pending.slot.name}" did not end within ${durationText(limitOf(pending))}`;
  reportFailure(runner, pending, new TimeoutError(message));
}

/** Calls whose time is over already, on a resume: they end before anything in them begins again. */
export function expireOverdue(runner: Runner, open: readonly Pending[], now: number): void {
  const overdue = open.filter(
    ({ slot, todo, due }) => slot.kind === SlotKind.bounded && todo === Todo.wait && due <= now,
  );
  for (const pending of overdue.toSorted((a, b) => a.due - b.due)) if (isCurrent(pending)) expireCall(runner, pending);
}

function limitOf({ slot }: Pending): number {
  return slot.block?.timeout ?? 0;
}
