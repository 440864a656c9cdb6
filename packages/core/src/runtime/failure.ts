import type { Pending } from "../state/pending.ts";
import { Flag } from "../state/tables.ts";
import { attemptFailedEvent } from "../scheduler/event.ts";
import { closeBody } from "./body.ts";
import { describeError } from "../base/describe-error.ts";
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
  const retryable = pending.yielded === 0 && !isFinal(error);
  const policy = retryable ? (pending.slot.policies?.retry ?? null) : null;
  const delay = retryDelay(policy, pending.attempt, error, host.entropy, now);
  const { described, encoded } = encodeError(recorder, describeError(error));
  runner.feed(attemptFailedEvent(pending, described, delay === null ? null : Math.ceil(now + delay)), encoded);
}
