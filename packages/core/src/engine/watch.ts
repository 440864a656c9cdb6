/**
 * What an engine with a backend does by itself while it is open: it takes up what came for its runs, and goes on with
 * runs that nobody drives. Hints make it look at once; it looks without them too, for a hint may be lost (H77).
 *
 * W1  Only runs that the backend's claim gave are gone on with (H7), and only those that this engine has the graph of.
 * W2  Every run that has not ended has somebody who will wake it: its live owner, or whichever engine looks next at what
 *     is queued, orphaned or due. What rests without a due time waits for a note, which queues it in its own transaction;
 *     over notes that came before it was held it is queued by whoever held it, or by whichever engine looks next.
 */
import { MillraceError } from "../base/error.ts";
import { migrationFrom } from "../model/migration.ts";
import type { Plan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import type { Host } from "../runtime/host.ts";
import type { EngineOptions } from "./api.ts";
import type { LiveRun } from "./live-run.ts";
import type { LiveRuns } from "./live-runs.ts";
import { pollOf } from "./lookout.ts";
import { hostReady } from "./ready.ts";
import { engineClosed } from "./run-errors.ts";
import { queueUnread } from "./unread-mail.ts";

/** Runs claimed at once. */
const portion = 20;
/** Runs with notes that are looked at in one look. */
const mostArrivals = 1_000;
/** Once in so many looks it is looked for what lies in the inboxes of runs that are held. */
const unreadEvery = 60;
/** What no time mends. */
const finalFailures: ReadonlySet<string> = new Set([
  "JournalCorrupt",
  "JournalTooNew",
  "ContextMissing",
  "FingerprintMismatch",
  "JournalMismatch",
  "MigrationMismatch",
  "NonDeterministicResume",
]);
/** Beyond it runs at rest go on when the watch finds them due. */
const keptTimes = 10_000;

export interface WatchOptions {
  /** Milliseconds between two looks; about, so that engines that were started together do not look together. */
  readonly everyMs: number;
  /** Whether it goes on with runs that nobody drives. */
  readonly takesOver: boolean;
  readonly maxAttempts: number;
}

export function watchOptions(options: EngineOptions): WatchOptions {
  const { recover = true, maxAttempts = 5 } = options;
  return { everyMs: pollOf(options), takesOver: recover, maxAttempts };
}

/** W1: of its fingerprint, and of those that its graph has a map from. */
function heldBy({
  name: graph,
  fingerprint,
  migrations,
}: Plan): { readonly graph: string; readonly fingerprint: string }[] {
  return [{ graph, fingerprint }, ...migrations.map(({ from }) => ({ graph, fingerprint: from }))];
}

export class Watch {
  readonly #host: Host;
  readonly #backend: Backend;
  readonly #runs: LiveRuns;
  readonly #plans: readonly Plan[];
  readonly #options: WatchOptions;
  readonly #delivering: Set<string> = new Set();
  #stopped = false;
  #complained = false;
  #looking: Promise<void> | null = null;
  #lookAgain = false;
  #looks = 0;
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
      await queueUnread(this.#backend, this.#plans, this.#host.clock.now());
      for (let more = true; more;) {
        const some = await this.#claimSome();
        const runs = await Promise.all(some.adopted);
        taken.push(...runs.filter((run) => run !== undefined));
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
        if (migrationFrom(plan, row.fingerprint) !== null) this.#runs.watch(row, plan);
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
      // A lease that may have lapsed is renewed: what waited for that may go, however long the look takes.
      if (this.#backend.alive?.() === true) this.#runs.renewed();
      this.look();
      if (!this.#stopped) this.#arm();
    };
    this.#disarm = clock.background?.(ms, turn) ?? null;
  }

  async #lookAround(): Promise<void> {
    try {
      for (const runId of await this.#backend.arrivals(mostArrivals)) this.#deliver(runId);
      if (this.#options.takesOver) {
        if (++this.#looks % unreadEvery === 0) await queueUnread(this.#backend, this.#plans, this.#host.clock.now());
        for (let more = true; more;) more = (await this.#claimSome()).more;
      }
      // Last: what it finds out hurries nobody.
      await this.#runs.parked.look(this.#backend);
      this.#complained = false;
    } catch (error) {
      // The next look may find it well again; nobody needs to read it every second until then.
      if (!this.#stopped && !this.#complained)
        this.#host.warn(`millrace: looking for runs in ${this.#backend.name} failed: ${(error as Error).message}`);
      this.#complained = true;
    }
  }

  /** What the schema of an answer takes its time for holds nothing else up. */
  #deliver(runId: string): void {
    if (this.#delivering.has(runId)) return;
    this.#delivering.add(runId);
    this.#runs
      .deliver(this.#backend, runId)
      .catch((error: unknown) =>
        this.#host.warn(`millrace: what came for run ${runId} was not taken up: ${(error as Error).message}`),
      )
      .finally(() => this.#delivering.delete(runId));
  }

  /** Claims some of the runs that nobody drives, and begins to go on with them; `more`: there may be others. */
  async #claimSome(): Promise<{ readonly adopted: Promise<LiveRun | undefined>[]; readonly more: boolean }> {
    const now = this.#host.clock.now();
    const { adoptions } = this.#runs;
    const { putOff } = this.#runs.givenUp;
    const graphs = this.#held();
    if (this.#stopped || graphs.length === 0 || putOff.isFull(now)) return { adopted: [], more: false };
    const claiming = this.#backend.claim({
      statuses: ["queued", "running"],
      due: true,
      graphs: graphs.flatMap(heldBy),
      except: putOff.except(now),
      limit: portion,
      at: now,
      maxAttempts: this.#options.maxAttempts,
    });
    const begun = claiming.then((rows) => rows.map((row) => this.#begin(row)));
    adoptions.claims(begun);
    const adopted = await begun;
    return { adopted, more: adopted.length === portion };
  }

  /** The very one, before one that has a map from it. */
  #planOf({ graph, fingerprint }: RunRow): Plan | undefined {
    const plans = this.#held().filter((plan) => plan.name === graph && migrationFrom(plan, fingerprint) !== null);
    return plans.find((plan) => plan.fingerprint === fingerprint) ?? plans[0];
  }

  /** The graphs it was opened with, and those of which it put runs aside: whoever answers them expects that they go on. */
  #held(): Plan[] {
    const known = new Set(this.#plans.map(keyOf));
    return [...this.#plans, ...[...this.#runs.parked.plans].filter((plan) => !known.has(keyOf(plan)))];
  }

  #begin(row: RunRow): Promise<LiveRun | undefined> {
    if (row.status === "quarantined") return Promise.resolve(this.#quarantined(row));
    return this.#runs.adoptions.begin(row, () => this.#adopt(row));
  }

  async #adopt(row: RunRow): Promise<LiveRun | undefined> {
    const plan = this.#planOf(row);
    try {
      if (plan === undefined || this.#stopped) throw engineClosed();
      await hostReady(this.#host, plan);
      const run = await this.#runs.adopt(this.#backend, row, plan);
      run.recovered = true;
      run.wake();
      return run;
    } catch (error) {
      return this.#leave(row, error as Error);
    }
  }

  /** One run that cannot go on must not keep the others waiting: it stays as it is, and `resume` says why again. */
  #leave(row: RunRow, error: Error): undefined {
    const code = error instanceof MillraceError ? error.code : error.name;
    this.#runs.givenUp.unbegun(this.#backend, row, finalFailures.has(code));
    if (code !== "EngineClosed")
      this.#host.warn(`millrace: run ${row.id} of "${row.graph}" was not taken over: ${code}: ${error.message}`);
  }

  /** H11 */
  #quarantined({ id, graph, attempts }: RunRow): undefined {
    this.#host.warn(
      `millrace: run ${id} of "${graph}" is quarantined: ${attempts} engines in a row died while they ran it; ` +
        `engine.resume(${JSON.stringify(id)}) tries again`,
    );
  }
}

function keyOf({ name, fingerprint }: Plan): string {
  return JSON.stringify([name, fingerprint]);
}
