import { ended } from "./ended.ts";
import type { Tables } from "./tables.ts";

/**
 * H27: runs that ended before `$1`, in statuses `$2` and of graph `$3` and thread `$5` (null: all), at most `$4`, with all that belongs to
 * them alone. What they left to their threads stays, but for the rows before the last whole one that any run that is left,
 * or the next one of the thread, is read from.
 */
export function deleteRuns({ runs, journal, labels, notes, blobRefs, carried }: Tables): string {
  const belonging = [journal, labels, notes, blobRefs].map(
    (table, i) => `part_${i} AS (DELETE FROM ${table} AS part USING gone WHERE part.run = gone.n)`,
  );
  return `
WITH old AS MATERIALIZED (
  SELECT n FROM ${runs}
  WHERE ended_at < $1 AND status IN ${ended}
    AND ($2::text[] IS NULL OR status = ANY ($2::text[])) AND ($3::text IS NULL OR graph = $3::text)
    AND ($5::text IS NULL OR thread = $5::text)
  ORDER BY ended_at, n
  LIMIT $4::bigint
  FOR UPDATE SKIP LOCKED),
gone AS (
  DELETE FROM ${runs} AS r USING old WHERE r.n = old.n RETURNING r.n, r.thread),
${belonging.join(",\n")},
floors AS (
  SELECT t.thread, (
    SELECT max(c.n) FROM ${carried} AS c
    WHERE c.thread = t.thread AND c.whole AND c.n <= coalesce((
      SELECT min(r.carried_up_to) FROM ${runs} AS r
      WHERE r.thread = t.thread AND r.n NOT IN (SELECT n FROM gone)), c.n)) AS floor
  FROM (SELECT DISTINCT thread FROM gone WHERE thread IS NOT NULL) AS t),
trimmed AS (
  DELETE FROM ${carried} AS c USING floors WHERE c.thread = floors.thread AND c.n < floors.floor)
SELECT count(*) AS runs FROM gone`;
}

/** All that thread `$1` carries, when it has no run any more. */
export function deleteCarriedOfNone({ runs, carried }: Tables): string {
  return `
DELETE FROM ${carried} AS c WHERE c.thread = $1 AND NOT EXISTS (SELECT FROM ${runs} AS r WHERE r.thread = $1)`;
}

/** Blobs that nothing names and that were stored before `$1`. One that is stored again meanwhile is young again. */
export function deleteBlobs({ blobs, blobRefs }: Tables): string {
  return `
DELETE FROM ${blobs} AS b
WHERE b.stored_at < $1 AND NOT EXISTS (SELECT FROM ${blobRefs} AS named WHERE named.hash = b.hash)`;
}
