/**
 * Run and idle timeouts. A time-out is a failure like any other, except that the body may still be running: it is
 * aborted, and keeps its permit for a while (orphans.ts).
 */
import type { Pending } from "../state/pending.ts";
import { bodyOf, type Body } from "./body.ts";
import { reportFailure } from "./failure.ts";
import type { Runner } from "./runner.ts";
import { TimeoutError } from "./describe-error.ts";

export function armRunTimeout(runner: Runner, pending: Pending): void {
  const limit = pending.slot.policies?.runTimeout ?? 0;
  // One that only has a total timeout gets a body too: it is what is aborted.
  const body = bodyOf(runner, pending, pending.attempt);
  if (limit === 0) return;
  const { deadlines, clock } = runner.host;
  body.runDeadline = deadlines.add(clock.now() + limit, () => timeOut(body, `no result within ${limit} ms`));
}

/** A generator that waits for credit is not at work: its clock stands still until it is asked again. */
export function pauseRunTimeout(body: Body): void {
  const { runDeadline, runner } = body;
  if (runDeadline === null) return;
  body.left = Math.max(0, runDeadline.at - runner.host.clock.now());
  runner.host.deadlines.cancel(runDeadline);
  body.runDeadline = null;
}

export function continueRunTimeout(body: Body): void {
  const { left, pending, runner } = body;
  if (left === null) return;
  body.left = null;
  const { deadlines, clock } = runner.host;
  const limit = pending.slot.policies?.runTimeout ?? 0;
  body.runDeadline = deadlines.add(clock.now() + left, () => timeOut(body, `not at its end after ${limit} ms of work`));
}

export function armIdleTimeout(body: Body): void {
  const limit = body.pending.slot.policies?.idleTimeout ?? 0;
  if (limit === 0) return;
  const { deadlines, clock } = body.runner.host;
  body.idleDeadline = deadlines.add(clock.now() + limit, () => timeOut(body, `nothing yielded for ${limit} ms`));
}

export function disarmIdle(body: Body): void {
  if (body.idleDeadline === null) return;
  body.runner.host.deadlines.cancel(body.idleDeadline);
  body.idleDeadline = null;
}

export function timeOut(body: Body, message: string): void {
  const { runner, pending } = body;
  const error = new TimeoutError(`"${pending.slot.name}" timed out: ${message}`);
  body.timedOut = true;
  body.abort(error);
  pending.body = null;
  runner.orphaned(body);
  reportFailure(runner, pending, error);
  runner.pump();
}
