import { runColumns } from "./run-columns.ts";

const select = `
SELECT ${runColumns} FROM millrace_runs
WHERE ($statuses IS NULL OR status IN (SELECT value FROM json_each($statuses))) AND ($graph IS NULL OR graph = $graph)`;

const createdUntil = `
  AND created_at <= $createdUntil`;

const newestFirst = `
ORDER BY created_at DESC, n DESC
LIMIT $limit`;

const ofThread = `
  AND thread = $thread AND carried_up_to <= $carriedUntil`;

/** B16 */
const newestOfThread = `
ORDER BY carried_up_to DESC, n DESC
LIMIT $limit`;

const labelled = `
  AND n IN (
    SELECT l.run
    FROM json_each($labels) AS wanted
    JOIN millrace_labels AS l ON l.key = wanted.value ->> 0 AND l.value = wanted.value ->> 1
    GROUP BY l.run
    HAVING count(*) = json_array_length($labels))`;

/**
 * `statuses` is a JSON array, or null for all; `graph` may be null; `limit` -1 stands for none. Asked for by a thread or by
 * labels it is another statement, which finds its runs by an index: `labels` is a JSON array of one or more pairs of key
 * and value, each key once.
 */
export function selectRuns(by: {
  readonly thread: boolean;
  readonly labels: boolean;
  readonly until: boolean;
}): string {
  const conditions = (by.thread ? ofThread : "") + (by.labels ? labelled : "") + (by.until ? createdUntil : "");
  return select + conditions + (by.thread ? newestOfThread : newestFirst);
}

/** B16: the newest run of a thread. */
export const selectNewestInThread: string = `
SELECT id FROM millrace_runs WHERE thread = ? ORDER BY carried_up_to DESC, n DESC LIMIT 1`;
