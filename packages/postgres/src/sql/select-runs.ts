import { runColumns } from "./run-columns.ts";
import type { Tables } from "./tables.ts";

/**
 * Newest first. `$1` statuses, `$2` graph, `$3` thread: null for all. `$4` and `$5`: keys and values of labels, each key
 * once; null for none. `$6`: the limit, null for none. `$7`: the moment after which none was created, null for any.
 */
export function selectRuns(tables: Tables): string {
  return selecting(tables, "", "r.created_at DESC, r.n DESC");
}

/** The same of one thread, in its order (B16). `$8`: no run that began with a later carried row, null for any. */
export function selectRunsOfThread(tables: Tables): string {
  const until = "\n  AND ($8::bigint IS NULL OR r.carried_up_to <= $8::bigint)";
  return selecting(tables, until, newestFirst);
}

const newestFirst = "r.carried_up_to DESC, r.n DESC";

/** B16: of thread `$1`, but for run `$2`. */
export function selectNewestInThread({ runs }: Tables): string {
  return `
SELECT r.id FROM ${runs} AS r WHERE r.thread = $1 AND r.id <> $2 ORDER BY ${newestFirst} LIMIT 1`;
}

function selecting({ runs, labels }: Tables, more: string, order: string): string {
  return `
SELECT ${runColumns} FROM ${runs} AS r
WHERE ($1::text[] IS NULL OR r.status = ANY ($1::text[]))
  AND ($2::text IS NULL OR r.graph = $2::text)
  AND ($3::text IS NULL OR r.thread = $3::text)
  AND ($7::bigint IS NULL OR r.created_at <= $7::bigint)${more}
  AND ($4::text[] IS NULL OR r.n IN (
    SELECT l.run
    FROM unnest($4::text[], $5::text[]) AS wanted (key, value)
    JOIN ${labels} AS l ON l.key = wanted.key AND l.value = wanted.value
    GROUP BY l.run
    HAVING count(*) = cardinality($4::text[])))
ORDER BY ${order}
LIMIT $6::bigint`;
}
