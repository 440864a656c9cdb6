/**
 * B2: the fence. Changes the run, and so gives back its number, only if this writer's epoch and last sequence number
 * still stand. The columns it sets are in no index, so a plain append touches no index.
 */
export const advanceRun: string = `
UPDATE millrace_runs SET last_seq = ?, chain = ?, updated_at = ?
WHERE id = ? AND epoch = ? AND last_seq = ?
RETURNING n`;
