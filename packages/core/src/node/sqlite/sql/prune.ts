/**
 * Runs that ended before `endedBefore`, the longest ago first. `statuses` is a JSON array, or null for all; `graph` and
 * `thread` may be null. The plus makes SQLite go by the time, and end with the limit.
 */
export const selectPrunable: string = `
SELECT n, labels, thread FROM millrace_runs
WHERE ended_at < $endedBefore
  AND +status IN ('completed', 'failed', 'cancelled', 'discarded')
  AND ($statuses IS NULL OR +status IN (SELECT value FROM json_each($statuses)))
  AND ($graph IS NULL OR graph = $graph)
  AND ($thread IS NULL OR thread = $thread)
ORDER BY ended_at
LIMIT $limit`;

/** The last value is the run's number. */
export const deleteLabel: string = `
DELETE FROM millrace_labels WHERE key = ? AND value = ? AND run = ?`;

/** What belongs to one run alone, each by the run's number. */
export const deletesOfRun: readonly string[] = [
  "DELETE FROM millrace_journal WHERE run = ?",
  "DELETE FROM millrace_notes WHERE run = ?",
  "DELETE FROM millrace_runs WHERE n = ?",
];

/** Gives back what the run named. */
export const deleteBlobRefs: string = `
DELETE FROM millrace_blob_refs WHERE run = ? RETURNING hash`;

export const unnameBlob: string = `
UPDATE millrace_blob_uses SET named = 0
WHERE hash = ? AND NOT EXISTS (SELECT 1 FROM millrace_blob_refs AS ref WHERE ref.hash = millrace_blob_uses.hash)`;

/** Gives back the blobs that no run names and that were stored before a moment. */
export const deleteUnnamedBlobUses: string = `
DELETE FROM millrace_blob_uses WHERE named = 0 AND stored_at < ? RETURNING hash`;

export const deleteBlob: string = `
DELETE FROM millrace_blobs WHERE hash = ?`;
