import type { Tables } from "./tables.ts";

/**
 * A graceful release does not count as an attempt (H12). `$4`: nothing of the run was gone on with, and what was counted
 * stands.
 */
export function releaseRun({ runs, channel }: Tables): string {
  return `
WITH released AS (
  UPDATE ${runs} SET
    owner = NULL,
    owner_n = NULL,
    attempts = CASE WHEN $4::boolean THEN attempts ELSE 0 END,
    hold_until = CASE WHEN $4::boolean THEN hold_until ELSE 0 END
  WHERE id = $1 AND epoch = $2 AND owner_n = $3
  RETURNING n)
SELECT pg_notify(${channel}, '')::text FROM released`;
}
