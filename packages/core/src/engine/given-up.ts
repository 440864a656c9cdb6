import type { Backend, RunRow } from "../ports/backend.ts";
import type { Host } from "../runtime/host.ts";
import type { LiveRun } from "./live-run.ts";
import { PutOff } from "./put-off.ts";

const againMs = 1_000;

interface GivenBack {
  readonly id: string;
  /** Ours. */
  readonly epoch: number;
  /** Nothing of it was gone on with: the deaths before still count. */
  readonly unbegun: boolean;
}

/**
 * Runs that this engine gives back, as soon as that can be written. Whoever names one, or another engine, may go on with it;
 * this one tries again after a while, or never.
 */
export class GivenUp {
  readonly #host: Host;
  readonly putOff: PutOff = new PutOff();
  readonly #claims: Map<string, GivenBack> = new Map();

  constructor(host: Host) {
    this.#host = host;
  }

  /** A run that it drove, and lost to a failing backend. */
  lost(backend: Backend, { runId, epoch }: Pick<LiveRun, "runId" | "epoch">): void {
    this.#giveBack(backend, { id: runId, epoch, unbegun: false }, false);
  }

  /** One that it claimed and could not go on with. `isFinal`: nor will it ever. */
  unbegun(backend: Backend, { id, epoch }: Pick<RunRow, "id" | "epoch">, isFinal: boolean): void {
    this.#giveBack(backend, { id, epoch, unbegun: true }, isFinal);
  }

  /** It came to something here: the next failure counts as the first. */
  wentWell(runId: string): void {
    this.putOff.forget(runId);
  }

  #giveBack(backend: Backend, run: GivenBack, isFinal: boolean): void {
    this.putOff.for(run.id, this.#host.clock.now(), isFinal);
    this.#claims.set(run.id, run);
    this.#releaseUntilDone(backend, run);
  }

  #releaseUntilDone(backend: Backend, run: GivenBack): void {
    backend.release(run.id, run.epoch, run.unbegun).then(
      () => this.#released(run),
      () => {
        const { clock, deadlines } = this.#host;
        deadlines.add(clock.now() + againMs, () => this.#releaseUntilDone(backend, run));
      },
    );
  }

  /** It may have been taken again, and given back again, meanwhile. */
  #released(run: GivenBack): void {
    if (this.#claims.get(run.id) === run) this.#claims.delete(run.id);
  }

  /** Somebody wants that run now. */
  async releaseNow(backend: Backend, runId: string): Promise<void> {
    const run = this.#claims.get(runId);
    if (run === undefined) return;
    await backend.release(runId, run.epoch, run.unbegun);
    this.#released(run);
  }
}
