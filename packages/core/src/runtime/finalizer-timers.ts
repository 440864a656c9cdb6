import type { SlotPlan } from "../model/plan.ts";
import { finalizerOverEvent } from "../scheduler/event.ts";
import type { Deadline } from "./deadlines.ts";
import type { Runner } from "./runner.ts";

/** How long each finalizer of an ending run may still take. After a crash in one, its time begins anew. */
export class FinalizerTimers {
  readonly #runner: Runner;
  readonly #timers: Deadline[];

  constructor(runner: Runner) {
    const { host, state } = runner;
    this.#runner = runner;
    const { finalizers, slots } = state.program.plan;
    this.#timers = finalizers.map((id) => {
      const { timeout = 0 } = (slots[id] as SlotPlan).block ?? {};
      return host.deadlines.add(host.clock.now() + timeout, () => this.#over(id));
    });
  }

  #over(slot: number): void {
    this.#runner.feed(finalizerOverEvent(slot));
    this.#runner.pump();
  }

  clear(): void {
    for (const timer of this.#timers) this.#runner.host.deadlines.cancel(timer);
  }
}
