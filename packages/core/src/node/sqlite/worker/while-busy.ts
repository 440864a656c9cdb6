import { setTimeout as sleep } from "node:timers/promises";

import { isBusy } from "./failure.ts";

const LONGEST_PAUSE_MS = 25;

/** Tries again while another process holds the lock, for at most `timeout` milliseconds; the thread stays free. */
export async function whileBusy<Result>(timeout: number, work: () => Result): Promise<Result> {
  const deadline = performance.now() + timeout;
  for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await sleep(pause);
  }
}
