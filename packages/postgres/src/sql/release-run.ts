import type { Tables } from "./tables.ts";

/** A graceful release does not count as an attempt (H12). */
export function releaseRun({ runs, channel }: Tables): string {
  return `
WITH released AS (
  UPDATE ${runs} SET owner = NULL, owner_n = NULL, attempts = 0, hold_until = 0
  WHERE id = $1 AND epoch = $2 AND owner_n = $3
  RETURNING n)
SELECT pg_notify(${channel}, '')::text FROM released`;
}
