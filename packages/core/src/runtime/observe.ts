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

type Call = keyof Observer;
type EventOf<K extends Call> = Parameters<NonNullable<Observer[K]>>[0];

/**
 * The kernel tells it things inside of steps, and an observer may call the engine: what there is to tell is kept until
 * the step and its record are done.
 */
export class RunObserver implements Probe {
  #told: (() => void)[] = [];
  readonly #observer: Observer;
  readonly #clock: Clock;
  readonly #run: RunState;

  constructor(observer: Observer, clock: Clock, run: RunState) {
    this.#observer = observer;
    this.#clock = clock;
    this.#run = run;
  }

  /** After the step and its record. */
  flush(): void {
    if (this.#told.length === 0) return;
    const told = this.#told;
    this.#told = [];
    for (const tell of told) tell();
  }

  #tell<K extends Call>(call: K, event: EventOf<K>): void {
    const listener = this.#observer[call] as ((event: EventOf<K>) => void) | undefined;
    if (listener !== undefined) this.#told.push(() => listener(event));
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
    this.#tell("expected", this.#event(context, slot));
  }

  resolved(context: Context, slot: number, state: number, value: unknown): void {
    const as = settledAs[state];
    if (state === Resolution.value) this.#tell("finished", this.#event(context, slot));
    if (as === undefined) return;
    const because = state === Resolution.skipped ? { because: (value as Failure).error.node } : {};
    this.#tell("settled", { ...this.#event(context, slot), as, ...because });
  }

  attemptFailed(pending: Pending, code: string, message: string, retryAt: number | null): void {
    const { context, slot, attempt } = pending;
    const retryInMs = retryAt === null ? null : Math.max(0, retryAt - this.#clock.now());
    this.#tell("attemptFailed", { ...this.#event(context, slot.id), attempt, code, message, retryInMs });
  }

  yielded(pending: Pending): void {
    this.#tell("yielded", { ...this.#event(pending.context, pending.slot.id), index: pending.yielded - 1 });
  }

  /** Told by the runtime, outside of steps: at once. */
  attemptStarted(pending: Pending): void {
    this.#observer.attemptStarted?.({ ...this.#event(pending.context, pending.slot.id), attempt: pending.attempt });
  }
}
