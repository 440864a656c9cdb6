import { runColumns } from "./run-columns.ts";

/**
 * B6: takes over and returns in one statement, so only what came back may run (H7).
 * `statuses`, `deadOwners` and `graphs` are JSON arrays; `graphs` and `runId` may be null.
 */
export const claimRuns: string = `
UPDATE millrace_runs SET owner = $owner, epoch = epoch + 1, attempts = attempts + 1, updated_at = $at
WHERE n IN (
  SELECT n FROM millrace_runs
  WHERE status IN (SELECT value FROM json_each($statuses))
    AND (owner IS NULL OR owner IN (SELECT value FROM json_each($deadOwners)))
    AND ($runId IS NULL OR id = $runId)
    AND ($graphs IS NULL OR graph IN (SELECT value FROM json_each($graphs)))
  ORDER BY created_at, n
  LIMIT $limit)
RETURNING n, ${runColumns}`;
