/** What the handle of a run that was put aside into the backend asks of its engine: others may have gone on with it. */
import type { Plan } from "../model/plan.ts";
import type { RunRow } from "../ports/backend.ts";
import type { Host } from "../runtime/host.ts";
import type { AnswerOptions, RunResult } from "./api.ts";
import { Elsewhere } from "./elsewhere.ts";
import type { LiveRun } from "./live-run.ts";
import type { Lookout } from "./lookout.ts";
import type { RemoteRun } from "./remote-run.ts";
import { isElsewhere, isEnded, runNotFound } from "./run-errors.ts";

export interface AsideOptions {
  readonly host: Host;
  readonly lookout: Lookout;
  /** The run of that id if this engine drives it, or is about to. */
  readonly here: (runId: string) => Promise<LiveRun | undefined>;
  /** Why it takes nothing up any more; null: it does. */
  readonly closed: () => Error | null;
  /** It is this engine's again, and goes on when it is woken. */
  readonly reopen: (runId: string, plan: Plan) => Promise<LiveRun>;
}

export class Aside {
  readonly #options: AsideOptions;

  constructor(options: AsideOptions) {
    this.#options = options;
  }

  /** Where it goes on, or has ended; itself: it has not gone on. An engine that was closed knows no better. */
  async whereIs(run: LiveRun): Promise<LiveRun | RemoteRun> {
    const { lookout, here, closed } = this.#options;
    const { backend } = lookout;
    const driven = await here(run.runId);
    if (driven !== undefined || closed() !== null) return driven ?? run;
    const row = await backend.get(run.runId);
    const taken = await here(run.runId);
    if (taken !== undefined || closed() !== null) return taken ?? run;
    if (row === undefined) throw runNotFound(run.runId, backend.name);
    return restsAs(run, row) ? run : this.#elsewhere(run).seen(row);
  }

  async answer(run: LiveRun, which: string, value: unknown, options: AnswerOptions): Promise<void> {
    const { reopen } = this.#options;
    let reopened: LiveRun;
    try {
      reopened = await reopen(run.runId, planOf(run));
    } catch (error) {
      if (!isElsewhere(error)) throw error;
      return this.#elsewhere(run).answer(run.runId, which, value, options);
    }
    return reopened.answer(which, value, options);
  }

  /** H53: of one that has ended meanwhile, what it came to. */
  async cancel(run: LiveRun, reason: string): Promise<RunResult<unknown>> {
    const { reopen } = this.#options;
    let reopened: LiveRun;
    try {
      reopened = await reopen(run.runId, planOf(run));
    } catch (error) {
      if (isEnded(error)) return (await this.whereIs(run)).result();
      if (!isElsewhere(error)) throw error;
      return this.#elsewhere(run).cancel(run.runId, reason);
    }
    return reopened.cancel(reason);
  }

  #elsewhere(run: LiveRun): Elsewhere {
    const { host, lookout, closed } = this.#options;
    const checkOpen = (): void => {
      const error = closed();
      if (error !== null) throw error;
    };
    return new Elsewhere(lookout, host, () => planOf(run), checkOpen);
  }
}

/** Nobody claimed it since. */
function restsAs(run: LiveRun, { status, epoch, owner }: RunRow): boolean {
  return owner === null && epoch === run.epoch && (status === "interrupted" || status === "drained");
}

function planOf(run: LiveRun): Plan {
  return run.runner.state.program.plan;
}
