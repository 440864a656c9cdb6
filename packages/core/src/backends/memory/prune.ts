import { endedStatuses, type BackendStats, type PruneRequest, type Pruned, type RunRow } from "../../ports/backend.ts";
import { pruneCarried } from "./carried.ts";
import { unhandled } from "./inbox.ts";
import { newestIn } from "./list.ts";
import type { Store } from "./store.ts";

export function prune(store: Store, request: PruneRequest): Pruned {
  const ended = [...store.runs.values()].map(({ row }) => row).filter((row) => isPrunable(row, request));
  const pruned = ended.slice(0, Math.max(0, request.limit));
  for (const { id } of pruned) store.runs.delete(id);
  for (const thread of new Set(pruned.map((row) => row.thread))) if (thread !== null) pruneCarried(store, thread);
  if (request.thread !== undefined && newestIn(store, request.thread) === undefined)
    store.carried.delete(request.thread);
  return { runs: pruned.length, blobs: pruneBlobs(store, request.blobsBefore) };
}

function isPrunable({ status, endedAt, graph, thread }: RunRow, request: PruneRequest): boolean {
  if (!endedStatuses.has(status) || endedAt === null || endedAt >= request.endedBefore) return false;
  if (request.thread !== undefined && thread !== request.thread) return false;
  return (request.statuses?.includes(status) ?? true) && (request.graph ?? graph) === graph;
}

function pruneBlobs(store: Store, before: number): number {
  const named = new Set([...store.runs.values()].flatMap(({ blobs }) => [...blobs]));
  let pruned = 0;
  for (const [hash, { storedAt }] of store.blobs) {
    if (named.has(hash) || storedAt >= before) continue;
    store.blobs.delete(hash);
    pruned += 1;
  }
  return pruned;
}

export function stats(store: Store): BackendStats {
  const runs: Partial<Record<RunRow["status"], number>> = {};
  const stored = [...store.runs.values()];
  for (const { row } of stored) runs[row.status] = (runs[row.status] ?? 0) + 1;
  const rows = stored.flatMap(({ journal }) => journal);
  const blobs = [...store.blobs.values()];
  return {
    runs,
    journalRows: rows.length,
    journalBytes: sum(rows.map(({ bytes }) => bytes.byteLength)),
    blobs: blobs.length,
    blobBytes: sum(blobs.map(({ bytes }) => bytes.byteLength)),
    notes: sum(stored.map((run) => unhandled(run).length)),
    threads: store.carried.size,
    entries: store.entries.byPlace.size,
    entryBytes: sum([...store.entries.byPlace.values()].map(({ bytes }) => bytes.byteLength)),
    owners: store.liveOwners.size,
    bytes: null,
    schemaVersion: 0,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
