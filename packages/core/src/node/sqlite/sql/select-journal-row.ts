/** The row of run ?1 that starts at sequence number ?2, if it stands. */
export const selectJournalRow: string = `
SELECT j.count, j.chain
FROM millrace_runs r JOIN millrace_journal j ON j.run = r.n AND j.first_seq = ?2
WHERE r.id = ?1`;
