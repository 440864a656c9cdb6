import type { Clock } from "../../../src/index.ts";

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** Time that passes only when a test lets it. Timers due at one moment fire in the order they were set. */
export class VirtualClock implements Clock {
  readonly start: number;
  #now: number;
  #timers: Timer[] = [];

  constructor(start: number = Date.UTC(2026, 0, 1)) {
    this.start = start;
    this.#now = start;
  }

  /** Milliseconds since the clock was made. */
  get elapsed(): number {
    return this.#now - this.start;
  }

  /** Timers that have not fired. */
  get armed(): number {
    return this.#timers.length;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  timer(ms: number, callback: () => void): () => void {
    const timer: Timer = { at: this.#now + ms, callback };
    this.#timers.push(timer);
    this.#timers.sort((a, b) => a.at - b.at);
    return () => (this.#timers = this.#timers.filter((other) => other !== timer));
  }

  defer(callback: () => void): void {
    setImmediate(callback);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.timer(ms, resolve));
  }

  /** Lets `ms` pass: every timer due meanwhile fires at its own time, with all that follows from it. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    while (this.#fireNext(end)) await settled();
    this.#now = end;
  }

  /** Lets time pass from timer to timer until the promise settles. */
  async until<T>(promise: Promise<T>): Promise<T> {
    const state = { settled: false };
    void promise.then(
      () => (state.settled = true),
      () => (state.settled = true),
    );
    for (await settled(); !state.settled; await settled()) {
      if (!this.#fireNext(Infinity)) await turns(50);
    }
    return promise;
  }

  #fireNext(until: number): boolean {
    const next = this.#timers[0];
    if (next === undefined || next.at > until) return false;
    this.#timers.shift();
    this.#now = next.at;
    next.callback();
    return true;
  }
}

/** Commits, and hand-overs of runs, that are under way: no time passes over them (`hostile.ts`). */
export const underWay: { count: number } = { count: 0 };

export async function whileUnderWay<T>(act: () => Promise<T>): Promise<T> {
  underWay.count++;
  try {
    return await act();
  } finally {
    underWay.count--;
  }
}

/** More rounds than anything takes that does not wait for this very clock. */
const mostRounds = 2_000;

/** The same, and what is under way comes to its end, unless it waits for time to pass. */
async function settled(): Promise<void> {
  await turns();
  for (let round = 0; underWay.count > 0 && round < mostRounds; round++) await turns();
}

/** Gives everything that is ready without waiting for time a chance to happen. */
export async function turns(count = 5): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}
