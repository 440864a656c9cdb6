import { crashHarness, type CrashReport } from "@millrace/core/testing";
import { inject, vi } from "vitest";

import { freshPrefix } from "./store.ts";

/** Processes that die, or stand still and wake up, on a prefix after the other of the shared server. */
export function crashOnMysql(kills: number, stops: number, seed: number): Promise<CrashReport> {
  vi.stubEnv("MYSQL_URL", inject("mysqlUrl"));
  let dead = 0;
  return crashHarness({
    module: new URL("../programs/crash-jobs.ts", import.meta.url),
    kills,
    killsEach: 6,
    stops,
    seed,
    within: 80,
    died: () => {
      if (++dead % 50 === 0) console.log(`${dead} processes so far`);
    },
    place: freshPrefix,
  });
}
