/**
 * `timeout.total`: how long all attempts of one invocation may take together, with the waits between them.
 *
 * O1  It is a moment, not a span: set when the invocation is first taken up, journaled then, and the same after a crash.
 * O2  When it comes the invocation fails and is not tried again, whatever it is doing: working, waiting for its next
 *     attempt, a resource or a permit.
 * O3  No attempt is waited for that would begin behind it.
 */
import { deadlineEvent } from "../scheduler/event.ts";
import { isCurrent, Todo, type Pending } from "../state/pending.ts";
import { totalDeadline } from "../state/total-deadline.ts";
import type { Body } from "./body.ts";
import type { Deadline } from "./deadlines.ts";
import { TimeoutError } from "./describe-error.ts";
import { reportFailure } from "./failure.ts";
import type { Runner } from "./runner.ts";
import { timeOut } from "./timeouts.ts";

/** The timers of one run. Null in a runner none of whose ops has such a limit. */
export class Totals {
  readonly #runner: Runner;
  readonly #timers: Map<Pending, Deadline> = new Map();

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /** O1. False: its time is over already, or its run. */
  admit(pending: Pending): boolean {
    if (this.#timers.has(pending)) return true;
    const runner = this.#runner;
    const { clock, deadlines } = runner.host;
    const now = clock.now();
    const known = totalDeadline(runner.state, pending);
    const at = known < Infinity ? known : this.#set(pending, now + (pending.slot.policies?.totalTimeout ?? 0));
    // That record may have been the last one that its journal had room for.
    if (!isCurrent(pending) || runner.over) return false;
    if (at <= now) {
      // It has no body yet that could be waited for.
      pending.todo = Todo.start;
      this.#expire(pending);
      return false;
    }
    this.#timers.set(
      pending,
      deadlines.add(at, () => {
        this.#timers.delete(pending);
        this.#expire(pending);
        runner.pump();
      }),
    );
    return true;
  }

  #set(pending: Pending, at: number): number {
    // Whoever sweeps it over this record finds nothing of it at work, and no permit that it holds.
    pending.todo = Todo.start;
    this.#runner.feed(deadlineEvent(pending, at));
    pending.todo = Todo.none;
    return at;
  }

  /** O2 */
  #expire(pending: Pending): void {
    const runner = this.#runner;
    if (!isCurrent(pending) || runner.over) return;
    const limit = pending.slot.policies?.totalTimeout ?? 0;
    const message = `no result within ${limit} ms, all attempts together`;
    if (pending.body !== null) {
      timeOut(pending.body as Body, message);
      return;
    }
    runner.letGo([pending]);
    reportFailure(runner, pending, new TimeoutError(`"${pending.slot.name}" timed out: ${message}`));
  }

  /** An event of that invocation was fed. */
  after(pending: Pending | null): void {
    if (pending !== null && !isCurrent(pending)) this.done(pending);
  }

  /** It has its result, or is not wanted any more. */
  done(pending: Pending): void {
    const timer = this.#timers.get(pending);
    if (timer === undefined) return;
    this.#runner.host.deadlines.cancel(timer);
    this.#timers.delete(pending);
  }

  /** A generator that waits for credit would let the run leave its process, and its time goes on. */
  get keepsAwake(): boolean {
    return [...this.#timers.keys()].some(({ body }) => body !== null);
  }

  stop(): void {
    for (const timer of this.#timers.values()) this.#runner.host.deadlines.cancel(timer);
    this.#timers.clear();
  }
}
