import type { Pending } from "../state/pending.ts";
import type { Deadline, Deadlines } from "./deadlines.ts";

/** Invocations of one run that wait for a time to come: the next attempt, the end of a sleep, the time limit of a question. */
export class Waits {
  readonly #deadlines: Deadlines;
  readonly #waiting: Map<Pending, Deadline> = new Map();

  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines;
  }

  add(pending: Pending, due: number, callback: () => void): void {
    const deadline = this.#deadlines.add(due, () => {
      this.#waiting.delete(pending);
      callback();
    });
    this.#waiting.set(pending, deadline);
  }

  cancel(pending: Pending): void {
    const deadline = this.#waiting.get(pending);
    if (deadline === undefined) return;
    this.#deadlines.cancel(deadline);
    this.#waiting.delete(pending);
  }

  clear(): void {
    for (const deadline of this.#waiting.values()) this.#deadlines.cancel(deadline);
    this.#waiting.clear();
  }
}
