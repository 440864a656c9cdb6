import { ended } from "./ended.ts";
import { lives } from "./lives.ts";
import type { Tables } from "./tables.ts";

/**
 * `$1` run, `$2` the clock. An owner that came while this waited for the row is not seen: the run is left alone when its
 * epoch has risen, as in a claim.
 */
export function requeueRun(tables: Tables): string {
  const { runs, channel } = tables;
  return `
WITH queued AS (
  UPDATE ${runs} AS r SET status = 'queued', owner = NULL, owner_n = NULL, wake_at = NULL, attempts = 0, hold_until = 0,
    updated_at = $2::bigint
  FROM ${runs} AS seen
  WHERE r.id = $1 AND seen.n = r.n AND seen.epoch = r.epoch AND r.status NOT IN ${ended} AND NOT ${lives(tables)}
  RETURNING r.n)
SELECT pg_notify(${channel}, '')::text FROM queued`;
}
