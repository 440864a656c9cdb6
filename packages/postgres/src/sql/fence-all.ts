import { fenceStep } from "@millrace/core";

import type { Tables } from "./tables.ts";

/**
 * B15: `$1` whether runs stay as they stood, `$2` the clock, `$3` the number of the owner who asks. A restored sequence begins
 * where it stood, so that an owner of before may have the number that the next one would get: it is set ahead. A process from
 * before that goes on has no lease, whatever it says.
 */
export function fenceAll({ runs, owners, channel }: Tables): string {
  const numbers = `pg_get_serial_sequence('${owners}', 'n')`;
  return `
WITH ahead AS MATERIALIZED (SELECT setval(${numbers}, nextval(${numbers}) + ${fenceStep}) AS n),
gone AS (UPDATE ${owners} SET lease_until = '-infinity' WHERE n <> $3::bigint),
fenced AS (
  UPDATE ${runs} AS r SET
    epoch = r.epoch + ${fenceStep},
    owner = NULL, owner_n = NULL, attempts = 0, hold_until = 0,
    updated_at = $2::bigint,
    status = CASE WHEN $1::boolean THEN r.status ELSE 'needs_review' END,
    wake_at = CASE WHEN $1::boolean THEN r.wake_at END
  FROM ${runs} AS seen
  WHERE seen.n = r.n AND r.ended_at IS NULL AND seen.ended_at IS NULL
  RETURNING seen.owner_n)
SELECT count(*)::integer AS runs, count(owner_n)::integer AS owned, (SELECT n FROM ahead) AS ahead, pg_notify(${channel}, '')::text
FROM fenced`;
}
