import type { Pending } from "../state/pending.ts";
import type { Deadline } from "./deadlines.ts";
import type { Host } from "./host.ts";

/** Invocations of one run that wait for their next attempt. */
export class Retries {
  readonly #host: Host;
  readonly #timers: Map<Pending, Deadline> = new Map();

  constructor(host: Host) {
    this.#host = host;
  }

  /** Calls `start` when the next attempt is due. */
  add(pending: Pending, start: () => void): void {
    const deadline = this.#host.deadlines.add(pending.due, () => {
      this.#timers.delete(pending);
      start();
    });
    this.#timers.set(pending, deadline);
  }

  stop(): void {
    for (const deadline of this.#timers.values()) this.#host.deadlines.cancel(deadline);
    this.#timers.clear();
  }
}
