import { runColumns } from "./run-columns.ts";

/** `statuses` is a JSON array, or null for all; `graph` may be null; `limit` -1 stands for none. */
export const selectRuns: string = `
SELECT ${runColumns} FROM millrace_runs
WHERE ($statuses IS NULL OR status IN (SELECT value FROM json_each($statuses))) AND ($graph IS NULL OR graph = $graph)
ORDER BY created_at DESC, n DESC
LIMIT $limit`;
