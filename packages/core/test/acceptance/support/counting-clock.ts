import type { Clock } from "../../../src/index.ts";
import { systemClock } from "../../../src/ports/system.ts";

/** The system's, and how many of its timers are armed. */
export class CountingClock implements Clock {
  armed = 0;

  now(): number {
    return systemClock.now();
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  defer(callback: () => void): void {
    systemClock.defer(callback);
  }

  timer(ms: number, callback: () => void): () => void {
    let over = false;
    const end = (): void => {
      if (!over) this.armed--;
      over = true;
    };
    this.armed++;
    const cancel = systemClock.timer(ms, () => {
      end();
      callback();
    });
    return () => {
      end();
      cancel();
    };
  }
}
