import { runColumns } from "./run-columns.ts";

/**
 * B6: takes over and returns in one statement, so only what came back may run (H7).
 * ?1 new owner, ?2 time, ?3 statuses, ?4 owners proven dead, ?5 run id or null, ?6 graphs or null, ?7 limit.
 */
export const claimRuns: string = `
UPDATE millrace_runs SET owner = ?1, epoch = epoch + 1, attempts = attempts + 1, updated_at = ?2
WHERE n IN (
  SELECT n FROM millrace_runs
  WHERE status IN (SELECT value FROM json_each(?3))
    AND (owner IS NULL OR owner IN (SELECT value FROM json_each(?4)))
    AND (?5 IS NULL OR id = ?5)
    AND (?6 IS NULL OR graph IN (SELECT value FROM json_each(?6)))
  ORDER BY created_at, n
  LIMIT ?7)
RETURNING n, ${runColumns}`;
