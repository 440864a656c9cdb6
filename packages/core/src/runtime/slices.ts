/**
 * Keeps long chains of work from starving the host: timers, cancels and lease renewals get a turn every few
 * milliseconds even when every op is synchronous or resolves in a microtask.
 */
import type { Clock } from "../ports/clock.ts";

/** Whoever has effects to release. */
export interface Resumable {
  pump(): void;
}

const sliceMs = 4;
/** Reading the clock costs more than an op; it is read every so many effects. */
const checkEvery = 64;

export class Slices {
  readonly #clock: Clock;
  #since: number;
  /** Effects until the clock is read. None while somebody is deferred: then everybody must stop. */
  #left = checkEvery;
  #deferred: Resumable[] | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** True when the caller must stop now; its `pump` is then called in a later turn of the host's loop. */
  exhausted(caller: Resumable): boolean {
    if (this.#left === 0) return this.#look(caller);
    this.#left--;
    return false;
  }

  #look(caller: Resumable): boolean {
    if (this.#deferred !== null) {
      this.#deferred.push(caller);
      return true;
    }
    if (this.#clock.monotonic() - this.#since < sliceMs) {
      this.#left = checkEvery;
      return false;
    }
    this.#deferred = [caller];
    this.#clock.defer(() => this.#turn());
    return true;
  }

  #turn(): void {
    this.#since = this.#clock.monotonic();
    this.#left = checkEvery;
    const deferred = this.#deferred ?? [];
    this.#deferred = null;
    for (const caller of deferred) caller.pump();
  }
}
