import { runColumns } from "./run-columns.ts";
import type { Tables } from "./tables.ts";

/**
 * Newest first. `$1` statuses, `$2` graph, `$3` thread: null for all. `$4` and `$5`: keys and values of labels, each key
 * once; null for none. `$6`: the limit, null for none. `$7`: the moment after which none was created, null for any.
 */
export function selectRuns({ runs, labels }: Tables): string {
  return `
SELECT ${runColumns} FROM ${runs} AS r
WHERE ($1::text[] IS NULL OR r.status = ANY ($1::text[]))
  AND ($2::text IS NULL OR r.graph = $2::text)
  AND ($3::text IS NULL OR r.thread = $3::text)
  AND ($7::bigint IS NULL OR r.created_at <= $7::bigint)
  AND ($4::text[] IS NULL OR r.n IN (
    SELECT l.run
    FROM unnest($4::text[], $5::text[]) AS wanted (key, value)
    JOIN ${labels} AS l ON l.key = wanted.key AND l.value = wanted.value
    GROUP BY l.run
    HAVING count(*) = cardinality($4::text[])))
ORDER BY r.created_at DESC, r.n DESC
LIMIT $6::bigint`;
}
