/** Events per second over the last few seconds, from counts that are sampled now and then. */
const windowMs = 5_000;
const minimumMs = 250;

export interface RateMeter {
  /** Notes the running total; called about as often as something is drawn. */
  sample(now: number, total: number): void;
  /** Over the window, or since the first sample when that is shorter; 0 until there is something to tell. */
  perSecond(): number;
}

export function createRateMeter(): RateMeter {
  const times: number[] = [];
  const totals: number[] = [];
  return {
    sample(now, total) {
      times.push(now);
      totals.push(total);
      // One sample older than the window is kept: the window starts there.
      while (times.length > 2 && times[1]! <= now - windowMs) {
        times.shift();
        totals.shift();
      }
    },
    perSecond() {
      const elapsed = (times.at(-1) ?? 0) - (times[0] ?? 0);
      return elapsed < minimumMs ? 0 : ((totals.at(-1)! - totals[0]!) * 1_000) / elapsed;
    },
  };
}
