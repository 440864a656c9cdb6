import type { Tables } from "./tables.ts";

/** Of a run that was just made, so that nobody else carries anything on in its thread. */
export function setCarriedUpTo({ runs, carried }: Tables): string {
  return `
UPDATE ${runs} AS r
SET carried_up_to = coalesce((SELECT max(c.n) FROM ${carried} AS c WHERE c.thread = r.thread), 0)
WHERE r.id = $1
RETURNING r.carried_up_to AS "carriedUpTo"`;
}

/** From the last whole row on, up to `$2` or, where that is null, all; none before `$3`. */
export function selectCarried({ carried }: Tables): string {
  return `
SELECT c.n, c.run_id AS "runId", c.whole, c.bytes
FROM ${carried} AS c
WHERE c.thread = $1 AND ($2::bigint IS NULL OR c.n <= $2::bigint) AND c.n >= $3::bigint
  AND c.n >= coalesce(
    (SELECT max(w.n) FROM ${carried} AS w
     WHERE w.thread = $1 AND w.whole AND ($2::bigint IS NULL OR w.n <= $2::bigint)), 0)
ORDER BY c.n`;
}

/** Those rows of thread `$1` whose numbers are `$2`. */
export function selectCarriedRows({ carried }: Tables): string {
  return `
SELECT c.n, c.run_id AS "runId", c.whole, c.bytes
FROM ${carried} AS c
WHERE c.thread = $1 AND c.n = ANY ($2::bigint[])`;
}

/** Rows that stand stay as they are. Only for who keeps everybody else from carrying anything on in the thread. */
export function restoreCarried({ carried }: Tables): string {
  return `
INSERT INTO ${carried} (thread, n, run_id, whole, bytes)
SELECT $1::text, given.n, given.run_id, given.whole, given.bytes
FROM unnest($2::bigint[], $3::text[], $4::boolean[], $5::bytea[]) AS given (n, run_id, whole, bytes)
ON CONFLICT DO NOTHING`;
}
