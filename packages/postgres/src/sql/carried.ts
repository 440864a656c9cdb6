import type { Tables } from "./tables.ts";

/** Of a run that was just made, so that nobody else carries anything on in its thread. */
export function setCarriedUpTo({ runs, carried }: Tables): string {
  return `
UPDATE ${runs} AS r
SET carried_up_to = coalesce((SELECT max(c.n) FROM ${carried} AS c WHERE c.thread = r.thread), 0)
WHERE r.id = $1
RETURNING r.carried_up_to AS "carriedUpTo"`;
}

/** From the last whole row on, up to `$2` or, where that is null, all. */
export function selectCarried({ carried }: Tables): string {
  return `
SELECT c.n, c.run_id AS "runId", c.whole, c.bytes
FROM ${carried} AS c
WHERE c.thread = $1 AND ($2::bigint IS NULL OR c.n <= $2::bigint)
  AND c.n >= coalesce(
    (SELECT max(w.n) FROM ${carried} AS w
     WHERE w.thread = $1 AND w.whole AND ($2::bigint IS NULL OR w.n <= $2::bigint)), 0)
ORDER BY c.n`;
}
