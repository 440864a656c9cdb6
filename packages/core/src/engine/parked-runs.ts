import { MillraceError } from "../base/error.ts";
import { endedStatuses, type Backend } from "../ports/backend.ts";
import type { Plan } from "../model/plan.ts";
import type { Deadline } from "../runtime/deadlines.ts";
import type { Host } from "../runtime/host.ts";
import type { LiveRun } from "./live-run.ts";

const againMs = 1_000;
const notOurs: ReadonlySet<string> = new Set(["RunElsewhere", "RunEnded", "RunNotFound", "EngineClosed"]);

/** Entries that are looked at together. */
const portion = 20;
/** No entry is looked at more often. */
const lookMs = 10_000;

interface Parked {
  readonly plan: Plan;
  /** What callers hold of it, as long as they do: it follows the run that goes on. */
  readonly handle: WeakRef<LiveRun> | null;
  /** Are told when it has ended, here or elsewhere. */
  readonly listeners: readonly (() => void)[];
  /** By the monotonic clock. */
  seenAt: number;
}

/** Runs that were put aside into the backend, with what is needed to go on with them, and the timers they left behind. */
export class ParkedRuns {
  readonly #host: Host;
  readonly #reopen: (runId: string) => Promise<unknown>;
  readonly #parked: Map<string, Parked> = new Map();
  readonly #timers: Map<string, Deadline> = new Map();
  readonly #plans: Map<Plan, number> = new Map();
  #lookedAt = -Infinity;

  constructor(host: Host, reopen: (runId: string) => Promise<unknown>) {
    this.#host = host;
    this.#reopen = reopen;
  }

  planOf(runId: string): Plan | undefined {
    return this.#parked.get(runId)?.plan;
  }

  /** Of all that are here, each once. */
  get plans(): Iterable<Plan> {
    return this.#plans.keys();
  }

  get size(): number {
    return this.#parked.size;
  }

  /** The run goes on, in this engine. */
  wentOn(run: LiveRun): void {
    const parked = this.#drop(run.runId);
    if (parked === undefined) return;
    parked.handle?.deref()?.follow(run);
    for (const listener of parked.listeners) run.whenOver(listener);
  }

  #drop(runId: string): Parked | undefined {
    const parked = this.#parked.get(runId);
    if (parked === undefined) return undefined;
    this.#parked.delete(runId);
    const left = (this.#plans.get(parked.plan) ?? 0) - 1;
    if (left > 0) this.#plans.set(parked.plan, left);
    else this.#plans.delete(parked.plan);
    return parked;
  }

  /** It has ended elsewhere, or this engine closes. */
  #forget(runId: string): void {
    this.takenUp(runId);
    for (const listener of this.#drop(runId)?.listeners ?? []) listener();
  }

  close(): void {
    for (const runId of this.#parked.keys()) this.#forget(runId);
  }

  /**
   * Lets those go that have ended elsewhere. Looks at those first that nobody looked at for the longest time, and at more only
   * as long as many of them have ended: what is here is bounded by what rests, and thousands at rest cost little.
   */
  async look(backend: Backend): Promise<void> {
    const now = this.#host.clock.monotonic();
    if (now - this.#lookedAt < againMs) return;
    this.#lookedAt = now;
    for (let more = true; more;) more = (await this.#lookAtSome(backend, now)) > portion / 2;
  }

  /** How many of them had ended. */
  async #lookAtSome(backend: Backend, now: number): Promise<number> {
    const due: string[] = [];
    for (const [runId, { seenAt }] of this.#parked) {
      if (due.length === portion || now - seenAt < lookMs) break;
      due.push(runId);
    }
    let ended = 0;
    for (const runId of due) if (await this.#hasEnded(backend, runId, now)) ended++;
    return ended;
  }

  async #hasEnded(backend: Backend, runId: string, now: number): Promise<boolean> {
    const parked = this.#parked.get(runId);
    const row = await backend.get(runId);
    if (parked === undefined || this.#parked.get(runId) !== parked) return false;
    if (row === undefined || endedStatuses.has(row.status)) {
      this.#forget(runId);
      return true;
    }
    parked.seenAt = now;
    // Behind all others.
    this.#parked.delete(runId);
    this.#parked.set(runId, parked);
    return false;
  }

  /** `wake`: when its first timer is due, in milliseconds since 1970. */
  add(runId: string, plan: Plan, wake: number | null, handle: LiveRun | null): void {
    const listeners = this.#drop(runId)?.listeners ?? [];
    this.#parked.set(runId, {
      plan,
      handle: handle === null ? null : new WeakRef(handle),
      listeners: handle === null ? listeners : [...listeners, ...handle.takeListeners()],
      seenAt: this.#host.clock.monotonic(),
    });
    this.#plans.set(plan, (this.#plans.get(plan) ?? 0) + 1);
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
