/** As `advanceRun`, for a batch that also changes the status or the graph, or gives up the owner. */
export const advanceRunStatus: string = `
UPDATE millrace_runs SET
  last_seq = $lastSeq,
  chain = $chain,
  updated_at = $at,
  status = coalesce($status, status),
  fingerprint = coalesce($fingerprint, fingerprint),
  owner = CASE WHEN $release THEN NULL ELSE owner END,
  attempts = CASE WHEN $release THEN 0 ELSE attempts END,
  ended_at = CASE
    WHEN $status IS NULL THEN ended_at
    WHEN $status IN ('completed', 'failed', 'cancelled', 'discarded') THEN $at
    ELSE NULL END
WHERE id = $runId AND epoch = $epoch AND last_seq = $expectedSeq
RETURNING n`;
