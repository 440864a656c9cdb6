import type { Compaction, CompactResult } from "../../ports/backend.ts";
import { copyRow, type Store } from "./store.ts";

/** B13 */
export function noteSnapshot(store: Store, runId: string, seq: number): void {
  const run = store.runs.get(runId);
  if (run === undefined || seq <= (run.row.snapshotSeq ?? 0)) return;
  if (run.journal.some(({ firstSeq }) => firstSeq === seq)) run.row = { ...run.row, snapshotSeq: seq };
}

/** B14 */
export function compact(store: Store, { runId, row, forget, lastSeq }: Compaction): CompactResult {
  const run = store.runs.get(runId);
  const behind = run?.journal.findIndex(({ firstSeq }) => firstSeq === row.count + 1) ?? -1;
  if (run === undefined || behind < 0) return { type: "refused" };
  if (forget.length > 0 && run.row.lastSeq !== lastSeq) return { type: "moved" };
  // Another list: who reads the one that was reads it to its end.
  run.journal = [copyRow(row), ...run.journal.slice(behind)];
  for (const hash of forget) run.blobs.delete(hash);
  return { type: "compacted" };
}
