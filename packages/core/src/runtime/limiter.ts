/**
 * The limits of one resource, over all runs of an engine: how many bodies use it at once, how many start in a span of
 * time, how many tokens they may spend in a minute.
 *
 * Rates are exact: in any span, wherever it begins, no more start than may. A start counts from when it is granted, until
 * the span after the body began is over.
 */
import type { Clock } from "../ports/clock.ts";
import { Fifo } from "../state/fifo.ts";

export interface Rate {
  readonly limit: number;
  /** Milliseconds. */
  readonly span: number;
}

export interface Limits {
  /** Infinity: no limit. */
  readonly concurrency: number;
  readonly rates: readonly Rate[];
  /** Infinity: no limit. */
  readonly tokensPerMinute: number;
}

const minute = 60_000;

class Window {
  readonly #rate: Rate;
  readonly #starts: Fifo<number> = new Fifo();
  /** Granted and not begun. */
  #reserved = 0;

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  waitMs(now: number): number {
    const { limit, span } = this.#rate;
    const starts = this.#starts;
    while (starts.size > 0 && (starts.peek() as number) + span <= now) starts.take();
    if (starts.size + this.#reserved < limit) return 0;
    return starts.size === 0 ? Infinity : (starts.peek() as number) + span - now;
  }

  reserve(): void {
    this.#reserved++;
  }

  begin(now: number): void {
    this.#reserved--;
    this.#starts.push(now);
  }

  forget(): void {
    this.#reserved--;
  }
}

export class Limiter {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #windows: readonly Window[];
  readonly #spent: Fifo<{ readonly at: number; readonly tokens: number }> = new Fifo();
  #spentInMinute = 0;
  #active = 0;

  constructor(limits: Limits, clock: Clock) {
    this.#clock = clock;
    this.#limits = limits;
    this.#windows = limits.rates.map((rate) => new Window(rate));
  }

  /**
   * Milliseconds until one more may be granted: 0 for now, Infinity for when somebody is done. `starts` false: a body that
   * goes on and was counted when it began.
   */
  waitMs(starts: boolean): number {
    if (this.#active >= this.#limits.concurrency) return Infinity;
    if (!starts) return 0;
    // Not the wall clock: a step of it must neither stop starts nor let them through.
    const now = this.#clock.monotonic();
    return Math.max(this.#tokenWaitMs(now), ...this.#windows.map((window) => window.waitMs(now)));
  }

  #tokenWaitMs(now: number): number {
    const spent = this.#spent;
    for (let first = spent.peek(); first !== undefined && first.at + minute <= now; first = spent.peek()) {
      this.#spentInMinute -= first.tokens;
      spent.take();
    }
    if (this.#spentInMinute < this.#limits.tokensPerMinute) return 0;
    const first = spent.peek();
    return first === undefined ? 0 : first.at + minute - now;
  }

  grant(starts: boolean): void {
    this.#active++;
    if (starts) for (const window of this.#windows) window.reserve();
  }

  /** The body that was granted begins. */
  begin(): void {
    const now = this.#clock.monotonic();
    for (const window of this.#windows) window.begin(now);
  }

  /** `began` false: it never will, and was no start. */
  release(starts: boolean, began: boolean): void {
    this.#active--;
    if (starts && !began) for (const window of this.#windows) window.forget();
  }

  spend(tokens: number): void {
    if (this.#limits.tokensPerMinute === Infinity || tokens === 0) return;
    this.#spentInMinute += tokens;
    this.#spent.push({ at: this.#clock.monotonic(), tokens });
  }
}
