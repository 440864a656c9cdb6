import type { Outcome } from "./perform.ts";
import type { Spent } from "./messages.ts";

export interface Times {
  /** Of the durable run: its processes from opening the engine to their end, without their start. */
  readonly seconds: number;
  readonly messagesPerSecond: number;
  readonly parts: readonly Spent[];
  readonly uninterrupted: number | undefined;
  /** From the start of the demo, everything included. */
  readonly total: number;
  /** Of all processes. */
  readonly cpuSeconds: number;
}

export function timesOf({ workers, uninterrupted, report }: Outcome): Times {
  const seconds = workers.reduce((sum, worker) => sum + worker.seconds, 0);
  const { user, system } = process.cpuUsage();
  const others = uninterrupted === undefined ? workers : [...workers, uninterrupted];
  return {
    seconds,
    messagesPerSecond: seconds === 0 ? 0 : (report?.totals.messages ?? 0) / seconds,
    parts: workers.map((worker) => ({ seconds: worker.seconds, cpuSeconds: worker.cpuSeconds })),
    uninterrupted: uninterrupted?.seconds,
    total: process.uptime(),
    cpuSeconds: (user + system) / 1e6 + others.reduce((sum, worker) => sum + worker.cpuSeconds, 0),
  };
}
