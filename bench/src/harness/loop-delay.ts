/**
 * How late the event loop is: the time between two turns of a timer that is due every millisecond. `perf_hooks` has a
 * monitor for it, but that one cannot be paused: enabled again, it counts the time it was off as a delay.
 */
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import type { Span } from "./figure.ts";

export class LoopDelay {
  readonly #histogram: RecordableHistogram = createHistogram();
  #timer: NodeJS.Timeout | undefined;
  #last = 0n;

  /** While `act` runs, and only then. */
  async during(act: () => unknown): Promise<void> {
    this.#last = process.hrtime.bigint();
    this.#arm();
    try {
      await act();
    } finally {
      clearTimeout(this.#timer);
    }
  }

  #arm(): void {
    this.#timer = setTimeout(() => {
      const now = process.hrtime.bigint();
      this.#histogram.record(now - this.#last);
      this.#last = now;
      this.#arm();
    }, 1);
  }

  get samples(): number {
    return this.#histogram.count;
  }

  /** Milliseconds, as the percentile. */
  get span(): Span {
    return { least: this.#histogram.min / 1e6, greatest: this.#histogram.max / 1e6 };
  }

  percentile(percent: number): number {
    return this.#histogram.percentile(percent) / 1e6;
  }
}
