/**
 * Runs that wait for the lease of this engine to be renewed. What renews it, and what tells them, keeps no process: this does, as
 * long as there are any. Somebody awaits their results.
 */
import type { Backend } from "../ports/backend.ts";
import type { Clock } from "../ports/clock.ts";

/** Until it is asked again, in milliseconds. */
const againMs = 200;

export class LeaseWaits {
  readonly #clock: Clock;
  readonly #waiting: Set<() => void> = new Set();
  #disarm: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether whoever asks may go on; else `again` is called a little later, and who has to wait still asks again. */
  alive(backend: Backend, again: () => void): boolean {
    const alive = backend.alive?.() ?? true;
    if (!alive) this.#wait(again);
    return alive;
  }

  #wait(again: () => void): void {
    this.#waiting.add(again);
    this.#disarm ??= this.#clock.timer(againMs, () => {
      this.#disarm = null;
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      for (const call of waiting) call();
    });
  }

  close(): void {
    this.#waiting.clear();
    this.#disarm?.();
    this.#disarm = null;
  }
}
