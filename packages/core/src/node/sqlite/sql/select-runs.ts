import { runColumns } from "./run-columns.ts";

/** ?1: statuses as a JSON array, or null for all. ?2: graph, or null. ?3: limit, -1 for none. */
export const selectRuns: string = `
SELECT ${runColumns} FROM millrace_runs
WHERE (?1 IS NULL OR status IN (SELECT value FROM json_each(?1))) AND (?2 IS NULL OR graph = ?2)
ORDER BY created_at DESC, n DESC
LIMIT ?3`;
