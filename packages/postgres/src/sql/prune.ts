import { ended } from "./ended.ts";
import type { Tables } from "./tables.ts";

/**
 * H27: runs that ended before `$1`, in statuses `$2` and of graph `$3` (null: all), at most `$4`, with all that belongs to
 * them alone. What they left to their threads stays.
 */
export function deleteRuns({ runs, journal, labels, notes, blobRefs }: Tables): string {
  const belonging = [journal, labels, notes, blobRefs].map(
    (table, i) => `part_${i} AS (DELETE FROM ${table} AS part USING gone WHERE part.run = gone.n)`,
  );
  return `
WITH old AS MATERIALIZED (
  SELECT n FROM ${runs}
  WHERE ended_at < $1 AND status IN ${ended}
    AND ($2::text[] IS NULL OR status = ANY ($2::text[])) AND ($3::text IS NULL OR graph = $3::text)
  ORDER BY ended_at, n
  LIMIT $4::bigint
  FOR UPDATE SKIP LOCKED),
gone AS (
  DELETE FROM ${runs} AS r USING old WHERE r.n = old.n RETURNING r.n),
${belonging.join(",\n")}
SELECT count(*) AS runs FROM gone`;
}

/** Blobs that nothing names and that were stored before `$1`. One that is stored again meanwhile is young again. */
export function deleteBlobs({ blobs, blobRefs }: Tables): string {
  return `
DELETE FROM ${blobs} AS b
WHERE b.stored_at < $1 AND NOT EXISTS (SELECT FROM ${blobRefs} AS named WHERE named.hash = b.hash)`;
}
