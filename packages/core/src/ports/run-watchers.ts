/** Who is to be told that runs go on, by run; see `Backend.watchRun`. */
export class RunWatchers {
  readonly #byRun: Map<string, Set<() => void>> = new Map();

  /** Returns what undoes it. */
  add(runId: string, listener: () => void): () => void {
    const listeners = this.#byRun.get(runId) ?? new Set();
    this.#byRun.set(runId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byRun.get(runId) === listeners) this.#byRun.delete(runId);
    };
  }

  get runs(): Iterable<string> {
    return this.#byRun.keys();
  }

  has(runId: string): boolean {
    return this.#byRun.has(runId);
  }

  /** After the call that changed something is over. */
  tell(runId: string): void {
    for (const listener of this.#byRun.get(runId) ?? []) queueMicrotask(listener);
  }

  tellAll(): void {
    for (const runId of this.#byRun.keys()) this.tell(runId);
  }
}
