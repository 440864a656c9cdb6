/** As `advanceRun`, for a batch that also changes the graph or gives up the owner. */
const change = `
UPDATE millrace_runs SET
  last_seq = $lastSeq,
  chain = $chain,
  updated_at = $at,
  fingerprint = coalesce($fingerprint, fingerprint),
  owner = CASE WHEN $release THEN NULL ELSE owner END,
  attempts = CASE WHEN $release THEN 0 ELSE attempts END,
  hold_until = CASE WHEN $release THEN 0 ELSE hold_until END`;

const fenced = `
WHERE id = $runId AND epoch = $epoch AND last_seq = $expectedSeq
RETURNING n`;

export const advanceRunOtherwise: string = change + fenced;

/**
 * As that, for a batch that changes the status. A trigger of the schema makes `queued` of `interrupted` over an unhandled
 * note (B9), after this; only statements that set the status meet it.
 */
export const advanceRunStatus: string = `${change},
  status = $status,
  wake_at = CASE WHEN $status = 'queued' THEN NULL ELSE $wakeAt END,
  ended_at = CASE WHEN $status IN ('completed', 'failed', 'cancelled', 'discarded') THEN $at ELSE NULL END${fenced}`;
