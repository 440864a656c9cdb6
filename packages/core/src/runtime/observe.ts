/** From the kernel's calls to the Observer port, with names and paths. Exists only when somebody listens. */
import type { Clock } from "../ports/clock.ts";
import type { NodeEvent, Observer } from "../ports/observer.ts";
import type { Context } from "../state/context.ts";
import type { Failure } from "../state/failure.ts";
import { nodePath } from "../state/path.ts";
import type { Pending } from "../state/pending.ts";
import { Resolution } from "../state/resolution.ts";
import type { Probe, RunState } from "../state/run-state.ts";

const settledAs: Readonly<Record<number, "skipped" | "absent" | "swept" | "untaken">> = {
  [Resolution.skipped]: "skipped",
  [Resolution.absent]: "absent",
  [Resolution.swept]: "swept",
  [Resolution.untaken]: "untaken",
};

export class RunObserver implements Probe {
  readonly #observer: Observer;
  readonly #clock: Clock;
  readonly #run: RunState;

  constructor(observer: Observer, clock: Clock, run: RunState) {
    this.#observer = observer;
    this.#clock = clock;
    this.#run = run;
  }

  #event(context: Context, slot: number): NodeEvent {
    const { plan } = this.#run.program;
    return {
      runId: this.#run.runId,
      node: plan.slots[slot]?.name ?? "",
      path: nodePath(plan, context, slot),
      replayed: this.#run.replaying,
    };
  }

  expected(context: Context, slot: number): void {
    this.#observer.expected?.(this.#event(context, slot));
  }

  resolved(context: Context, slot: number, state: number, value: unknown): void {
    if (state === Resolution.value) {
      this.#observer.finished?.(this.#event(context, slot));
      return;
    }
    const as = settledAs[state];
    if (as === undefined) return;
    const because = state === Resolution.skipped ? { because: (value as Failure).error.node } : {};
    this.#observer.settled?.({ ...this.#event(context, slot), as, ...because });
  }

  attemptStarted(pending: Pending): void {
    this.#observer.attemptStarted?.({ ...this.#event(pending.context, pending.slot.id), attempt: pending.attempt });
  }

  attemptFailed(pending: Pending, code: string, message: string, retryAt: number | null): void {
    const retryInMs = retryAt === null ? null : Math.max(0, retryAt - this.#clock.now());
    this.#observer.attemptFailed?.({
      ...this.#event(pending.context, pending.slot.id),
      attempt: pending.attempt,
      code,
      message,
      retryInMs,
    });
  }

  yielded(pending: Pending): void {
    this.#observer.yielded?.({ ...this.#event(pending.context, pending.slot.id), index: pending.yielded - 1 });
  }
}
