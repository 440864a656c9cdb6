import type { Labels } from "../../model/tags.ts";
import type { RunRow } from "../../ports/backend.ts";

/** A run row as statements give it: the columns of `RunRow`, and labels as JSON. Further columns are left out. */
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
    labels: row.labels === null ? null : (JSON.parse(row.labels) as Labels),
    thread: row.thread,
    carriedUpTo: row.carriedUpTo,
    ...(row.snapshotSeq !== 0 && { snapshotSeq: row.snapshotSeq }),
  };
}
