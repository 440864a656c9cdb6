/** As `advanceRun`, for a batch that also changes the status (?7) or gives up the owner (?8). */
export const advanceRunStatus: string = `
UPDATE millrace_runs SET
  last_seq = ?4,
  chain = ?5,
  updated_at = ?6,
  status = coalesce(?7, status),
  owner = CASE WHEN ?8 THEN NULL ELSE owner END,
  attempts = CASE WHEN ?8 THEN 0 ELSE attempts END,
  ended_at = CASE
    WHEN ?7 IS NULL THEN ended_at
    WHEN ?7 IN ('completed', 'failed', 'cancelled', 'discarded') THEN ?6
    ELSE NULL END
WHERE id = ?1 AND epoch = ?2 AND last_seq = ?3
RETURNING n`;
