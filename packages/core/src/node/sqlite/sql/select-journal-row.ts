/** The row of a run that starts at a sequence number, if it stands. */
export const selectJournalRow: string = `
SELECT j.count, j.chain
FROM millrace_runs r JOIN millrace_journal j ON j.run = r.n AND j.first_seq = ?
WHERE r.id = ?`;
