/** A graceful release does not count as an attempt (H12). */
export const releaseRun: string = `
UPDATE millrace_runs SET owner = NULL, attempts = 0, hold_until = 0 WHERE id = ? AND epoch = ? AND owner = ?`;

/** Nothing of it was gone on with: what was counted stands. */
export const releaseUnbegun: string = `
UPDATE millrace_runs SET owner = NULL WHERE id = ? AND epoch = ? AND owner = ?`;
