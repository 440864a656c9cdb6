import type { RunRow } from "@millrace/core";

/** As the statements give it: with the columns of `RunRow`, and labels as JSON. */
export type StoredRow = Omit<RunRow, "labels"> & { readonly labels: string | null };

export function toRunRow(row: StoredRow): RunRow {
  return {
    id: row.id,
    graph: row.graph,
    fingerprint: row.fingerprint,
    status: row.status,
    owner: row.owner,
    epoch: row.epoch,
    lastSeq: row.lastSeq,
    chain: row.chain,
    attempts: row.attempts,
    wakeAt: row.wakeAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    endedAt: row.endedAt,
    traceId: row.traceId,
    labels: row.labels === null ? null : (JSON.parse(row.labels) as Readonly<Record<string, string>>),
    thread: row.thread,
    carriedUpTo: row.carriedUpTo,
    ...(row.snapshotSeq !== 0 && { snapshotSeq: row.snapshotSeq }),
  };
}
