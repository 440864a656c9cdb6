/**
 * What an engine with a backend does by itself while it is open: it takes up what came for its runs, and goes on with
 * runs that nobody drives. Hints make it look at once; it looks without them too, for a hint may be lost (H77).
 *
 * W1  Only runs that the backend's claim gave are gone on with (H7), and only those that this engine has the graph of.
 * W2  Every run that has not ended has somebody who will wake it: its live owner, or whichever engine looks next at what
 *     is queued, orphaned or due. What rests without a due time waits for a note, which queues it in its own transaction.
 */
import { parseDuration } from "../base/duration.ts";
import { MillraceError } from "../base/error.ts";
import type { Plan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import type { Host } from "../runtime/host.ts";
import type { EngineOptions } from "./api.ts";
import type { LiveRun } from "./live-run.ts";
import type { LiveRuns } from "./live-runs.ts";
import { hostReady } from "./ready.ts";

/** Runs claimed at once, and runs looked through for notes. */
const portion = 20;
const unreadableLimit = 500;
/** Beyond it runs at rest go on when the watch finds them due. */
const keptTimes = 10_000;

export interface WatchOptions {
  /** Milliseconds between two looks; about, so that engines that were started together do not look together. */
  readonly everyMs: number;
  /** Whether it goes on with runs that nobody drives. */
  readonly takesOver: boolean;
  readonly maxAttempts: number;
}

export function watchOptions({ recover = true, poll = "1s", maxAttempts = 5 }: EngineOptions): WatchOptions {
  return { everyMs: parseDuration(poll, "poll of the engine"), takesOver: recover, maxAttempts };
}

export class Watch {
  readonly #host: Host;
  readonly #backend: Backend;
  readonly #runs: LiveRuns;
  readonly #plans: readonly Plan[];
  readonly #options: WatchOptions;
  /** Runs that could not be taken over: this engine does not try again unless it is asked. */
  readonly #unreadable: Set<string> = new Set();
  #stopped = false;
  #wasAlive = true;
  #complained = false;
  #looking: Promise<void> | null = null;
  #lookAgain = false;
  #disarm: (() => void) | null = null;

  constructor(host: Host, backend: Backend, runs: LiveRuns, plans: readonly Plan[], options: WatchOptions) {
    this.#host = host;
    this.#backend = backend;
    this.#runs = runs;
    this.#plans = plans;
    this.#options = options;
  }

  /** Goes on with what nobody drives now, and looks again from time to time. */
  async start(): Promise<LiveRun[]> {
    const taken: LiveRun[] = [];
    if (this.#options.takesOver) {
      for (let more = this.#plans.length > 0; more;) {
        const some = await this.takeSome();
        taken.push(...some.runs);
        more = some.more;
      }
      await this.#keepTimes();
    }
    this.#backend.onHint?.(() => this.look());
    this.#arm();
    return taken;
  }

  /** Runs at rest stay in the backend; the times at which they go on are kept here, to the millisecond. */
  async #keepTimes(): Promise<void> {
    for (const plan of this.#plans)
      for (const row of await this.#backend.list({ status: ["interrupted"], graph: plan.name, limit: keptTimes }))
        if (row.fingerprint === plan.fingerprint) this.#runs.watch(row, plan);
  }

  /** Takes nothing over any more; resolves when what it was doing is done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#disarm?.();
    await this.#looking;
  }

  /** Looks at once, or again as soon as it has finished looking. */
  look(): void {
    if (this.#stopped) return;
    if (this.#looking !== null) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = this.#lookAround().finally(() => {
      this.#looking = null;
      if (!this.#lookAgain) return;
      this.#lookAgain = false;
      this.look();
    });
  }

  #arm(): void {
    const { clock, entropy } = this.#host;
    const ms = this.#options.everyMs * (0.8 + 0.4 * entropy.random());
    const turn = (): void => {
      this.#backend.progress?.();
      this.look();
      if (!this.#stopped) this.#arm();
    };
    this.#disarm = clock.background?.(ms, turn) ?? null;
  }

  async #lookAround(): Promise<void> {
    try {
      this.#renewed();
      for (const runId of await this.#backend.arrivals(portion)) await this.#runs.deliver(this.#backend, runId);
      if (this.#options.takesOver && this.#plans.length > 0) while ((await this.takeSome()).more);
      this.#complained = false;
    } catch (error) {
      // The next look may find it well again; nobody needs to read it every second until then.
      if (!this.#stopped && !this.#complained)
        this.#host.warn(`millrace: looking for runs in ${this.#backend.name} failed: ${(error as Error).message}`);
      this.#complained = true;
    }
  }

  /** The lease may have lapsed, and is renewed. */
  #renewed(): void {
    const alive = this.#backend.alive?.() ?? true;
    if (alive && !this.#wasAlive) this.#runs.renewed();
    this.#wasAlive = alive;
  }

  /** Goes on with some of the runs that nobody drives; `more`: there may be others. */
  takeSome(): Promise<{ readonly runs: readonly LiveRun[]; readonly more: boolean }> {
    const taking = this.#take();
    this.#runs.adopting = taking.catch(() => undefined);
    return taking;
  }

  async #take(): Promise<{ readonly runs: readonly LiveRun[]; readonly more: boolean }> {
    const graphs = this.#plans.map(({ name, fingerprint }) => ({ graph: name, fingerprint }));
    const claimed = await this.#backend.claim({
      statuses: ["queued", "running"],
      due: true,
      graphs,
      except: [...this.#unreadable],
      limit: portion,
      at: this.#host.clock.now(),
      maxAttempts: this.#options.maxAttempts,
    });
    const runs: LiveRun[] = [];
    for (const row of claimed) {
      const run = row.status === "quarantined" ? this.#quarantined(row) : await this.#adopt(row);
      if (run !== undefined) runs.push(run);
    }
    return { runs, more: claimed.length === portion && !this.#stopped };
  }

  async #adopt(row: RunRow): Promise<LiveRun | undefined> {
    const plan = this.#plans.find(({ name }) => name === row.graph);
    if (plan === undefined || this.#stopped) {
      await this.#backend.release(row.id, row.epoch);
      return undefined;
    }
    try {
      await hostReady(this.#host, plan);
      const run = await this.#runs.adopt(this.#backend, row, plan);
      run.recovered = true;
      run.wake();
      return run;
    } catch (error) {
      await this.#backend.release(row.id, row.epoch);
      return this.#leave(row, error);
    }
  }

  /** One damaged run must not keep the others waiting: it stays as it is, and `resume` says why again. */
  #leave(row: RunRow, error: unknown): undefined {
    if (!(error instanceof MillraceError)) throw error;
    this.#unreadable.add(row.id);
    for (const oldest of this.#unreadable) if (this.#unreadable.size > unreadableLimit) this.#unreadable.delete(oldest);
    if (error.code !== "EngineClosed")
      this.#host.warn(`millrace: run ${row.id} of "${row.graph}" was not taken over: ${error.code}: ${error.message}`);
  }

  /** H11 */
  #quarantined({ id, graph, attempts }: RunRow): undefined {
    this.#host.warn(
      `millrace: run ${id} of "${graph}" is quarantined: ${attempts} engines in a row died while they ran it; ` +
        `engine.resume(${JSON.stringify(id)}) tries again`,
    );
  }
}
