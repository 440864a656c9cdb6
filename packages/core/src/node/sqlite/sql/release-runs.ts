/** What `releaseRun` does, for all runs of an owner that closes (H12). */
export const releaseRuns: string = `
UPDATE millrace_runs SET owner = NULL, attempts = 0, hold_until = 0 WHERE owner = ?`;
