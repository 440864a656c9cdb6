import { crashHarness, type CrashReport } from "@millrace/core/testing";
import { postgres } from "@millrace/postgres";
import { inject, vi } from "vitest";

import { freshSchema } from "./store.ts";

/** Processes that die, or stand still and wake up, on a schema after the other of the shared server. */
export function crashOnPostgres(kills: number, stops: number, seed: number): Promise<CrashReport> {
  vi.stubEnv("POSTGRES_URL", inject("postgresUrl"));
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
    place: emptyPlace,
  });
}

/** With its tables: a process that stands still while it makes them keeps all others waiting, which is not what is tested. */
async function emptyPlace(): Promise<string> {
  const schema = freshSchema();
  const backend = postgres(inject("postgresUrl"), { schema });
  await backend.open("first");
  await backend.close();
  return schema;
}
