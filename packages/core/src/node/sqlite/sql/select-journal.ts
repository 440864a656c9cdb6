/** Rows of `runId` from the one that holds sequence number `fromSeq`, in order. */
export const selectJournal: string = `
SELECT j.first_seq AS firstSeq, j.count, j.chain, j.bytes
FROM millrace_runs r JOIN millrace_journal j ON j.run = r.n
WHERE r.id = $runId
  AND j.first_seq >= coalesce((SELECT max(first_seq) FROM millrace_journal WHERE run = r.n AND first_seq <= $fromSeq), 0)
  AND j.first_seq + j.count > $fromSeq
ORDER BY j.first_seq`;
