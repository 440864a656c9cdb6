/** A run as it stood elsewhere, with nobody to own it. The number that comes back is the run's in the journal. */
export const restoreRun: string = `
INSERT INTO millrace_runs
  (id, graph, fingerprint, status, owner, epoch, attempts, last_seq, chain, wake_at, created_at, updated_at, ended_at,
   claimed_at, claimed_seq, trace_id, labels, thread, carried_up_to)
VALUES ($id, $graph, $fingerprint, $status, NULL, $epoch, $attempts, $lastSeq, $chain, $wakeAt, $createdAt, $updatedAt,
  $endedAt, $updatedAt, $lastSeq, $traceId, $labels, $thread, $carriedUpTo)
RETURNING n`;
