/** A cap on what is active at once over all runs. Permits live outside `step`, which dispatches unconditionally (rule 11). */
export class Permits {
  readonly #cap: number;
  #active = 0;
  #waiters: (() => void)[] = [];

  constructor(cap: number) {
    this.#cap = cap;
  }

  get free(): boolean {
    return this.#active < this.#cap;
  }

  take(): void {
    this.#active++;
  }

  /** `retry` is called once, after a permit came back; first come, first served. */
  whenFree(retry: () => void): void {
    this.#waiters.push(retry);
  }

  release(): void {
    this.#active--;
    // A waiter may not need it any more (its run ended, or what waited returned at once): then the next one is asked.
    for (let next = this.#waiters.shift(); next !== undefined; next = this.free ? this.#waiters.shift() : undefined)
      next();
  }
}
