/** B1: no row comes back when the id is taken. The number that comes back is the run's in the journal. */
export const insertRun: string = `
INSERT INTO millrace_runs
  (id, graph, fingerprint, status, owner, epoch, attempts, last_seq, chain, created_at, updated_at, claimed_at, claimed_seq,
   trace_id, labels, thread, carried_up_to)
VALUES ($id, $graph, $fingerprint, 'running', $owner, 1, 0, $lastSeq, $chain, $createdAt, $createdAt, $createdAt, $lastSeq,
  $traceId, $labels, $thread, $carriedUpTo)
ON CONFLICT (id) DO NOTHING
RETURNING n`;
