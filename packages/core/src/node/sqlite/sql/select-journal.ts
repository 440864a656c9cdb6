/** Rows of run ?1 from the one that holds sequence number ?2, in order. */
export const selectJournal: string = `
SELECT j.first_seq AS firstSeq, j.count, j.chain, j.bytes
FROM millrace_runs r JOIN millrace_journal j ON j.run = r.n
WHERE r.id = ?1
  AND j.first_seq >= coalesce((SELECT max(first_seq) FROM millrace_journal WHERE run = r.n AND first_seq <= ?2), 0)
  AND j.first_seq + j.count > ?2
ORDER BY j.first_seq`;
