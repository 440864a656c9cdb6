/** Runs that an earlier bearer of this owner's name left behind. */
export const disownRuns: string = `
UPDATE millrace_runs SET owner = NULL WHERE owner = ?`;
