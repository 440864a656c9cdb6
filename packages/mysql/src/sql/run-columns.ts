/** A run row in the shape of `RunRow`, of the table under the name `r`. */
export const runColumns: string = `
  r.id, r.graph, r.fingerprint, r.status, r.owner, r.epoch, r.last_seq AS lastSeq, r.chain, r.attempts,
  r.wake_at AS wakeAt, r.created_at AS createdAt, r.updated_at AS updatedAt, r.ended_at AS endedAt,
  r.trace_id AS traceId, r.labels, r.thread, r.carried_up_to AS carriedUpTo,
  r.snapshot_seq AS snapshotSeq`;
