import type { Pending } from "../state/pending.ts";
import { totalDeadline } from "../state/total-deadline.ts";
import { Flag } from "../state/tables.ts";
import { attemptFailedEvent } from "../scheduler/event.ts";
import { closeBody } from "./body.ts";
import { describeError } from "../base/describe-error.ts";
import { redactError } from "../secrets/redact-error.ts";
import { encodeError } from "./describe-error.ts";
import { retryDelay } from "./retry.ts";
import type { Runner } from "./runner.ts";
import { isFinal } from "./validate.ts";

/** Feeds the failed attempt, with the due time of the next one if there is one. */
export function reportFailure(runner: Runner, pending: Pending, error: unknown): void {
  closeBody(pending);
  if ((pending.flags & Flag.cached) !== 0) runner.host.cache.letGo(pending);
  const { host, recorder } = runner;
  const now = host.clock.now();
  // Of an ephemeral generator nothing that it yielded stands.
  const begins = pending.yielded === 0 || (pending.flags & Flag.ephemeral) !== 0;
  const retryable = begins && !isFinal(error);
  const policy = retryable ? (pending.slot.policies?.retry ?? null) : null;
  const delay = retryDelay(policy, pending.attempt, error, host.entropy, now);
  const { described, encoded } = encodeError(recorder, redactError(describeError(error), host.redactor));
  if (runner.observe !== null) runner.observe.threw(error);
  runner.feed(attemptFailedEvent(pending, described, inTime(runner, pending, delay, now)), encoded);
}

/** When the next attempt is due; null when there is none, also because it would begin behind the total timeout. */
function inTime(runner: Runner, pending: Pending, delay: number | null, now: number): number | null {
  if (delay === null) return null;
  const due = Math.ceil(now + delay);
  return due < totalDeadline(runner.state, pending) ? due : null;
}
