/** Runs that this engine does not drive, and what can be said to them. */
import { MillraceError } from "../base/error.ts";
import type { Plan } from "../model/plan.ts";
import { endedStatuses, type RunRow } from "../ports/backend.ts";
import type { Host } from "../runtime/host.ts";
import type { AnswerOptions, RunResult } from "./api.ts";
import type { LiveRun } from "./live-run.ts";
import type { Lookout } from "./lookout.ts";
import { postAnswer } from "./post-answer.ts";
import { RemoteRun, remoteRun, seenRun, type Remote } from "./remote-run.ts";
import { isElsewhere, runNotFound } from "./run-errors.ts";

/** This engine does not have the code of the run. */
const otherCode: ReadonlySet<string> = new Set(["UnknownGraph", "FingerprintMismatch"]);

export class Elsewhere {
  readonly #host: Host;
  readonly #planOf: (row: RunRow) => Plan | undefined;
  readonly #checkOpen: () => void;
  readonly #lookout: Lookout | null;

  /** @param checkOpen throws when the engine was closed. */
  constructor(lookout: Lookout | null, host: Host, planOf: (row: RunRow) => Plan | undefined, checkOpen: () => void) {
    this.#host = host;
    this.#lookout = lookout;
    this.#planOf = planOf;
    this.#checkOpen = checkOpen;
  }

  /** @throws MillraceError `RunNotFound`, `RunEnded` */
  async run(runId: string): Promise<RemoteRun> {
    return remoteRun(this.#remote(runId), runId);
  }

  /** As it stands now, ended or not. */
  async seen(row: RunRow): Promise<RemoteRun> {
    return seenRun(this.#remote(row.id), row);
  }

  /** The same, for those who do not ask for its questions. */
  asOf(row: RunRow): RemoteRun {
    return new RemoteRun(this.#remote(row.id), row, null);
  }

  /** What `takeOver` gives, unless another engine drives the run, or has the code of it. */
  async unless(runId: string, goesOn: boolean, takeOver: () => Promise<LiveRun>): Promise<LiveRun | RemoteRun> {
    try {
      return await this.#unless(runId, goesOn, takeOver);
    } catch (error) {
      // What a backend says that was closed under it is no news to whoever closed the engine.
      this.#checkOpen();
      throw error;
    }
  }

  async #unless(runId: string, goesOn: boolean, takeOver: () => Promise<LiveRun>): Promise<LiveRun | RemoteRun> {
    try {
      return await takeOver();
    } catch (error) {
      if (isElsewhere(error)) return this.run(runId);
      if (!(error instanceof MillraceError) || !otherCode.has(error.code)) throw error;
      // Whoever drives it, or has its graph, takes up what is said to it; that nobody does nobody could say of a cancel.
      const row = await this.#remote(runId).backend.get(runId);
      if (row === undefined || (row.owner === null && !goesOn)) throw error;
      return this.run(runId);
    }
  }

  async answer(runId: string, which: string, value: unknown, options: AnswerOptions): Promise<void> {
    await postAnswer(this.#remote(runId), runId, which, value, options);
  }

  async cancel(runId: string, reason: string): Promise<RunResult<unknown>> {
    return (await this.run(runId)).cancel(reason);
  }

  /** Nobody drives it, and nothing of it would run: there is nothing to drain. */
  async isAtRest(runId: string): Promise<boolean> {
    const { backend } = this.#remote(runId);
    const row = await backend.get(runId);
    if (row === undefined) throw runNotFound(runId, backend.name);
    const goesOn = row.status === "queued" || row.status === "running";
    return row.owner === null && !goesOn && !endedStatuses.has(row.status);
  }

  #remote(runId: string): Remote {
    this.#checkOpen();
    const lookout = this.#lookout;
    if (lookout === null) throw runNotFound(runId, "this engine");
    return { backend: lookout.backend, host: this.#host, lookout, planOf: this.#planOf, checkOpen: this.#checkOpen };
  }
}
