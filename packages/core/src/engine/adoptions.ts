import type { Backend, RunRow } from "../ports/backend.ts";

interface Adoption {
  readonly claimed: RunRow;
  readonly done: Promise<unknown>;
}

/** Runs that the watch claims, or has claimed and that are not live yet. */
export class Adoptions {
  readonly #begun: Map<string, Adoption> = new Map();
  #claiming: Promise<unknown> = Promise.resolve();

  /** Whoever wants a run meanwhile finds it being adopted. */
  claims(claiming: Promise<unknown>): void {
    this.#claiming = claiming.catch(() => undefined);
  }

  begin<T>(claimed: RunRow, adopt: () => Promise<T>): Promise<T> {
    const done = adopt().finally(() => this.#begun.delete(claimed.id));
    this.#begun.set(claimed.id, { claimed, done });
    return done;
  }

  /** Resolves when nobody here is about to take up that run. */
  async over(runId: string): Promise<void> {
    await this.#claiming;
    await this.#begun.get(runId)?.done;
  }

  /** Of an engine that closes: the backend gives runs up as those that were gone on with, and these were not. */
  async leave(backend: Backend): Promise<void> {
    const left = [...this.#begun.values()].map(({ claimed: { id, epoch } }) => backend.release(id, epoch, true));
    // What cannot be written now is found to be a dead owner's.
    await Promise.allSettled(left);
  }
}
