import type { Worker } from "./worker-process.ts";

/** Ctrl-C and SIGTERM: the first drains the durable run and drops the other, the second ends everything at once. */
export class Stop {
  #requested = false;
  readonly #durable = new Set<Worker>();
  readonly #disposable = new Set<Worker>();
  readonly #atOnce: () => void;

  constructor(atOnce: () => void) {
    this.#atOnce = atOnce;
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => this.#stop());
  }

  get requested(): boolean {
    return this.#requested;
  }

  /** Its run can be resumed. */
  durable(worker: Worker): Worker {
    return this.#follow(worker, this.#durable);
  }

  disposable(worker: Worker): Worker {
    return this.#follow(worker, this.#disposable);
  }

  #follow(worker: Worker, workers: Set<Worker>): Worker {
    workers.add(worker);
    void worker.gone.finally(() => workers.delete(worker));
    return worker;
  }

  #stop(): void {
    for (const worker of this.#disposable) worker.kill();
    if (this.#requested) {
      for (const worker of this.#durable) worker.kill();
      this.#atOnce();
    }
    this.#requested = true;
    for (const worker of this.#durable) worker.drain();
  }
}
