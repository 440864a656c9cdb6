import type { Clock } from "../ports/clock.ts";
import type { LiveRun } from "./live-run.ts";

/** Gives every run to whichever engine comes first, as far as their bodies end in time. */
export async function handOver(runs: readonly LiveRun[], clock: Clock, graceMs: number): Promise<void> {
  const drained = Promise.allSettled(runs.map((run) => run.drain(true)));
  let disarm: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    disarm = clock.timer(graceMs, resolve);
  });
  await Promise.race([drained, over]);
  disarm();
}
