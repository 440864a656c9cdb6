/** What the disk takes to make 200 bytes durable. A durable figure means little without it. */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { quantile } from "./statistics.ts";

export interface FsyncLatency {
  /** Milliseconds of one append of 200 bytes and its fdatasync. */
  readonly median: number;
  readonly p99: number;
  readonly samples: number;
}

/** Appends and syncs for `duration` milliseconds, as a write-ahead log does. */
export function fsyncLatency(folder: string, duration: number): FsyncLatency {
  const file = join(folder, "fsync-probe");
  const bytes = Buffer.alloc(200, "x");
  const handle = openSync(file, "w");
  const found: number[] = [];
  const until = performance.now() + duration;
  while (performance.now() < until) {
    const started = performance.now();
    writeSync(handle, bytes);
    fdatasyncSync(handle);
    found.push(performance.now() - started);
  }
  closeSync(handle);
  rmSync(file);
  return { median: quantile(found, 0.5), p99: quantile(found, 0.99), samples: found.length };
}

export function fsyncText({ median, p99 }: FsyncLatency): string {
  return `fdatasync of 200 B: median ${median.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms`;
}
