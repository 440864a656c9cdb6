/**
 * B2: the fence. Changes the run, and so gives back its number, only if this writer's epoch and last sequence number
 * still stand. The columns it sets are in no index, so a plain append touches no index.
 */
export const advanceRun: string = `
UPDATE millrace_runs SET last_seq = ?4, chain = ?5, updated_at = ?6
WHERE id = ?1 AND epoch = ?2 AND last_seq = ?3
RETURNING n`;
