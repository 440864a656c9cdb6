/** B9: whoever inserts has seen, in this transaction, that no note has this key. */
export const insertNote: string = `
INSERT INTO millrace_notes (run, kind, key, bytes, said_by, at)
SELECT n, $kind, $key, $bytes, $by, $at FROM millrace_runs WHERE id = $runId
RETURNING position AS id`;

/** In the shape of `Note`, but for the run's id. */
const noteColumns = "position AS id, kind, key, bytes, said_by AS by, at";

export const selectNote: string = `
SELECT ${noteColumns} FROM millrace_notes
WHERE run = (SELECT n FROM millrace_runs WHERE id = ?) AND kind = ? AND key = ?`;

/** Unhandled notes of a run, oldest first. */
export const selectInbox: string = `
SELECT ${noteColumns} FROM millrace_notes
WHERE handled = 0 AND run = (SELECT n FROM millrace_runs WHERE id = ?)
ORDER BY position`;

/** All notes of a run, oldest first, each with whether it was handled. */
export const selectNotes: string = `
SELECT ${noteColumns}, handled FROM millrace_notes
WHERE run = (SELECT n FROM millrace_runs WHERE id = ?)
ORDER BY position`;

/** The first value is the run's number. */
export const restoreNote: string = `
INSERT INTO millrace_notes (run, kind, key, bytes, said_by, at, handled) VALUES (?, ?, ?, ?, ?, ?, ?)`;

/** Runs of an owner with unhandled notes. Led by the owner: what others left unhandled costs it nothing. */
export const selectArrivals: string = `
SELECT id FROM millrace_runs AS r
WHERE owner = ? AND EXISTS (SELECT 1 FROM millrace_notes WHERE run = r.n AND handled = 0)
ORDER BY n
LIMIT ?`;

/** Fenced as the append it comes before, so that a lost one changes nothing (B2). */
export const handleNote: string = `
UPDATE millrace_notes SET handled = 1
WHERE kind = ? AND key = ? AND run = (SELECT n FROM millrace_runs WHERE id = ? AND epoch = ? AND last_seq = ?)`;

/**
 * SQLite gives the position of the last row to the next one when that row is gone. So the last one is not deleted: it becomes
 * the one row that belongs to no run, in the place of an earlier such row.
 */
export const deleteNote: string = `
DELETE FROM millrace_notes
WHERE position = $id AND handled = 0 AND run = (SELECT n FROM millrace_runs WHERE id = $runId)
  AND position < (SELECT max(position) FROM millrace_notes)`;

export const retireLastNote: string = `
UPDATE OR REPLACE millrace_notes SET run = 0, kind = '', key = '', said_by = NULL, handled = 1, bytes = x''
WHERE position = $id AND handled = 0 AND run = (SELECT n FROM millrace_runs WHERE id = $runId)`;

/** The caller has seen that the run has not ended, and has no live owner. */
export const requeueRun: string = `
UPDATE millrace_runs SET status = 'queued', owner = NULL, wake_at = NULL, attempts = 0, hold_until = 0, updated_at = ?
WHERE id = ?`;

/** The caller has seen that the run has no live owner. */
export const wakeRun: string = `
UPDATE millrace_runs SET status = 'queued', owner = NULL, wake_at = NULL, updated_at = ? WHERE id = ?`;

/** The caller has seen that somebody is taking the run up: should that one die before it wrote so, the run is due at once. */
export const makeDue: string = `
UPDATE millrace_runs SET wake_at = 0 WHERE id = ? AND status = 'interrupted'`;
