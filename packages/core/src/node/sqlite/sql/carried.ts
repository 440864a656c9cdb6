/** The next row of the thread of run `n`; nothing when that has none. */
export const insertCarried: string = `
INSERT INTO millrace_carried (thread, n, run_id, whole, bytes)
SELECT thread, coalesce((SELECT max(n) FROM millrace_carried AS c WHERE c.thread = r.thread), 0) + 1, id, $whole, $bytes
FROM millrace_runs AS r
WHERE n = $n AND thread IS NOT NULL`;

/** One row of a thread: nothing when it has none of that number. */
export const selectCarriedRow: string = `
SELECT run_id AS runId, whole, bytes FROM millrace_carried WHERE thread = ? AND n = ?`;

export const restoreCarried: string = `
INSERT INTO millrace_carried (thread, n, run_id, whole, bytes) VALUES (?, ?, ?, ?, ?)`;

/**
 * Rows before the last whole one that any run of the thread, or the next one, is read from. A run of the versions before is
 * read from the last one.
 */
export const deleteOldCarried: string = `
DELETE FROM millrace_carried
WHERE thread = $thread AND n < (
  SELECT max(n) FROM millrace_carried
  WHERE thread = $thread AND whole = 1
    AND n <= coalesce((SELECT min(carried_up_to) FROM millrace_runs WHERE thread = $thread), 9223372036854775807))`;

/** All of a thread that has no run any more. */
export const deleteCarriedOfNone: string = `
DELETE FROM millrace_carried
WHERE thread = $thread AND NOT EXISTS (SELECT 1 FROM millrace_runs WHERE thread = $thread)`;

/** The rows of a thread up to `upTo` (null: all), from the last whole one among them on, and none before `from`. */
export const selectCarried: string = `
SELECT n, run_id AS runId, whole, bytes FROM millrace_carried
WHERE thread = $thread AND ($upTo IS NULL OR n <= $upTo)
  AND n >= max($from, coalesce((
    SELECT max(n) FROM millrace_carried WHERE thread = $thread AND whole = 1 AND ($upTo IS NULL OR n <= $upTo)), 0))
ORDER BY n`;

/** The last one of a thread; 0: there is none. */
export const selectLastCarried: string = `
SELECT coalesce(max(n), 0) AS last FROM millrace_carried WHERE thread = ?`;
