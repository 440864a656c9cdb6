import type { Rebuilt } from "../journal/rebuild.ts";
import type { Backend } from "../ports/backend.ts";
import type { Note } from "../ports/inbox.ts";

/**
 * The inboxes of runs that are being taken up, read beside their journals: both are asked for at once. What comes while the journal is read
 * is told to nobody, since the run does not live here yet; so the inbox is read again then, until nothing came meanwhile.
 */
export class ArrivingMail {
  readonly #came: Map<string, boolean> = new Map();

  /** The inbox of that run is to be looked into. */
  came(runId: string): void {
    if (this.#came.has(runId)) this.#came.set(runId, true);
  }

  /** `goOn` makes the run live, at once: from then on it is told itself. */
  async during<T>(
    backend: Pick<Backend, "inbox">,
    runId: string,
    rebuild: () => Promise<Rebuilt>,
    goOn: (rebuilt: Rebuilt, mail: readonly Note[]) => T,
  ): Promise<T> {
    this.#came.set(runId, false);
    try {
      const [first, rebuilt] = await Promise.all([backend.inbox(runId), rebuild()]);
      let mail = first;
      while (this.#came.get(runId) === true) {
        this.#came.set(runId, false);
        mail = await backend.inbox(runId);
      }
      return goOn(rebuilt, mail);
    } finally {
      this.#came.delete(runId);
    }
  }
}
