import { leaseLost } from "../journal/lease-lost.ts";
import type { LiveRun } from "./live-run.ts";

/**
 * The runs that an engine drives. All of them are in a list; by id only those whose id somebody asked for: making an id
 * and an index entry for each of ten thousand short runs that nobody will look up costs as much as running them.
 */
export class Registry {
  readonly #byId: Map<string, LiveRun> = new Map();
  #first: LiveRun | null = null;

  add(run: LiveRun): void {
    run.next = this.#first;
    if (this.#first !== null) this.#first.previous = run;
    this.#first = run;
    if (run.named) this.#byId.set(run.runId, run);
  }

  /** The run got its id after it was added. */
  name(run: LiveRun, runId: string): void {
    this.#byId.set(runId, run);
  }

  /** This engine was given the run anew: what drives it here under an epoch before has lost it, and does not know it yet. */
  supersede(runId: string, epoch: number): void {
    const run = this.get(runId);
    if (run !== undefined && run.epoch < epoch) run.runner.onLost(leaseLost(runId, run.epoch, epoch));
  }

  remove(run: LiveRun): void {
    if (run.previous !== null) run.previous.next = run.next;
    else if (this.#first === run) this.#first = run.next;
    if (run.next !== null) run.next.previous = run.previous;
    run.previous = null;
    run.next = null;
    if (run.named) this.#byId.delete(run.runId);
  }

  get(runId: string): LiveRun | undefined {
    return this.#byId.get(runId);
  }

  all(): LiveRun[] {
    const runs: LiveRun[] = [];
    for (let run = this.#first; run !== null; run = run.next) runs.push(run);
    return runs;
  }
}
