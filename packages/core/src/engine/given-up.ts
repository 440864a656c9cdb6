import type { Backend } from "../ports/backend.ts";
import type { Host } from "../runtime/host.ts";

const againMs = 1_000;

/** Runs lost to a failing backend and not released yet, for that could not be written either. */
export class GivenUp {
  readonly #host: Host;
  /** With our epoch. */
  readonly #epochs: Map<string, number> = new Map();

  constructor(host: Host) {
    this.#host = host;
  }

  /** Released as soon as that can be written, for whoever can go on. */
  release(backend: Backend, runId: string, epoch: number): void {
    this.#epochs.set(runId, epoch);
    this.#releaseUntilDone(backend, runId, epoch);
  }

  #releaseUntilDone(backend: Backend, runId: string, epoch: number): void {
    backend.release(runId, epoch).then(
      () => this.#epochs.delete(runId),
      () => {
        const { clock, deadlines } = this.#host;
        deadlines.add(clock.now() + againMs, () => this.#releaseUntilDone(backend, runId, epoch));
      },
    );
  }

  /** Somebody wants that run now. */
  async releaseNow(backend: Backend, runId: string): Promise<void> {
    const epoch = this.#epochs.get(runId);
    if (epoch === undefined) return;
    await backend.release(runId, epoch);
    this.#epochs.delete(runId);
  }
}
