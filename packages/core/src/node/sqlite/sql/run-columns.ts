/** A run row in the shape of `RunRow`. */
export const runColumns: string = `
  id, graph, fingerprint, status, owner, epoch, last_seq AS lastSeq, chain, attempts, wake_at AS wakeAt,
  created_at AS createdAt, updated_at AS updatedAt, ended_at AS endedAt,
  trace_id AS traceId, labels, thread, carried_up_to AS carriedUpTo, snapshot_seq AS snapshotSeq`;
