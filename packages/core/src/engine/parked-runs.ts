import type { Plan } from "../model/plan.ts";
import type { Host } from "../runtime/host.ts";

/** Runs that wait in the backend, with what is needed to go on with them, and the timers they left behind. */
export class ParkedRuns {
  readonly #host: Host;
  readonly #reopen: (runId: string) => Promise<unknown>;
  readonly #plans: Map<string, Plan> = new Map();

  constructor(host: Host, reopen: (runId: string) => Promise<unknown>) {
    this.#host = host;
    this.#reopen = reopen;
  }

  planOf(runId: string): Plan | undefined {
    return this.#plans.get(runId);
  }

  /** `wake`: when its first timer is due, in milliseconds since 1970. */
  add(runId: string, plan: Plan, wake: number | null): void {
    this.#plans.set(runId, plan);
    if (wake === null) return;
    this.#host.deadlines.add(wake, () => {
      // Another engine may go on with it by now; whoever does keeps its time.
      this.#reopen(runId).catch(() => undefined);
    });
  }
}
