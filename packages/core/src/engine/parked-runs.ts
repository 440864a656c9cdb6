import { MillraceError } from "../base/error.ts";
import type { Backend } from "../ports/backend.ts";
import type { Plan } from "../model/plan.ts";
import type { Deadline } from "../runtime/deadlines.ts";
import type { Host } from "../runtime/host.ts";
import type { LiveRun } from "./live-run.ts";

const againMs = 1_000;
const notOurs: ReadonlySet<string> = new Set(["RunElsewhere", "RunEnded", "RunNotFound", "EngineClosed"]);

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
  readonly #timers: Map<string, Deadline> = new Map();

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
    this.takenUp(runId);
    this.#keepTime(runId, wake);
  }

  #keepTime(runId: string, wake: number): void {
    const timer = this.#host.deadlines.add(wake, () => {
      this.#timers.delete(runId);
      this.#reopen(runId).catch((error: unknown) => {
        // Another engine may go on with it by now; whoever does keeps its time.
        const isOver = error instanceof MillraceError && notOurs.has(error.code);
        if (!isOver && this.#parked.has(runId)) this.#keepTime(runId, this.#host.clock.now() + againMs);
      });
    });
    this.#timers.set(runId, timer);
  }

  /** What came while it was being drained: an answer lets it go on, a cancel ends it. */
  lookAgainAt(backend: Backend, runId: string): void {
    const goOn = async (): Promise<void> => {
      const notes = await backend.inbox(runId);
      if (notes.some(({ kind }) => kind !== "drain")) await this.#reopen(runId);
    };
    // If that fails, another engine has it by now, or the next one finds the note.
    goOn().catch(() => undefined);
  }

  /** Whoever goes on with it keeps its time. */
  takenUp(runId: string): void {
    const timer = this.#timers.get(runId);
    if (timer === undefined) return;
    this.#host.deadlines.cancel(timer);
    this.#timers.delete(runId);
  }
}
