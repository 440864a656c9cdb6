import type { Plan } from "../model/plan.ts";
import type { Host } from "../runtime/host.ts";
import type { LiveRun } from "./live-run.ts";

interface Parked {
  readonly plan: Plan;
  /** What callers hold of it, as long as they do: it follows the run that goes on. */
  readonly handle: WeakRef<LiveRun> | null;
}

/** Runs that were put aside into the backend, with what is needed to go on with them, and the timers they left behind. */
export class ParkedRuns {
  readonly #host: Host;
  readonly #reopen: (runId: string) => Promise<unknown>;
  readonly #parked: Map<string, Parked> = new Map();

  constructor(host: Host, reopen: (runId: string) => Promise<unknown>) {
    this.#host = host;
    this.#reopen = reopen;
  }

  planOf(runId: string): Plan | undefined {
    return this.#parked.get(runId)?.plan;
  }

  /** The run goes on, in this engine. */
  wentOn(run: LiveRun): void {
    this.#parked.get(run.runId)?.handle?.deref()?.follow(run);
    this.#parked.delete(run.runId);
  }

  /** `wake`: when its first timer is due, in milliseconds since 1970. */
  add(runId: string, plan: Plan, wake: number | null, handle: LiveRun | null): void {
    this.#parked.set(runId, { plan, handle: handle === null ? null : new WeakRef(handle) });
    if (wake === null) return;
    this.#host.deadlines.add(wake, () => {
      // Another engine may go on with it by now; whoever does keeps its time.
      this.#reopen(runId).catch(() => undefined);
    });
  }
}
