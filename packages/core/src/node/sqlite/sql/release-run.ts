/** A graceful release does not count as an attempt (H12). */
export const releaseRun: string = `
UPDATE millrace_runs SET owner = NULL, attempts = 0 WHERE id = ?1 AND epoch = ?2 AND owner = ?3`;
