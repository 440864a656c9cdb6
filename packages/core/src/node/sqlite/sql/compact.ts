/** B13: only ever further, and only where there is such a row. */
export const noteSnapshot: string = `
UPDATE millrace_runs SET snapshot_seq = $seq
WHERE id = $runId AND snapshot_seq < $seq
  AND EXISTS (SELECT 1 FROM millrace_journal WHERE run = millrace_runs.n AND first_seq = $seq)`;

/** B14: whether a row begins behind record `$count`. */
export const selectCompactable: string = `
SELECT n, last_seq AS lastSeq,
  EXISTS (SELECT 1 FROM millrace_journal WHERE run = millrace_runs.n AND first_seq = $count + 1) AS fits
FROM millrace_runs WHERE id = $runId`;

export const replaceFirstRow: string = `
UPDATE millrace_journal SET count = ?, chain = ?, bytes = ? WHERE run = ? AND first_seq = 1`;

export const deleteRowsUpTo: string = `
DELETE FROM millrace_journal WHERE run = ? AND first_seq > 1 AND first_seq <= ?`;

export const deleteBlobRef: string = `
DELETE FROM millrace_blob_refs WHERE hash = ? AND run = ?`;
