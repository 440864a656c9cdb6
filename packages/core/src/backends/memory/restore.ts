import { endedStatuses, type RestoredRun, type RestoreResult, type RunRow } from "../../ports/backend.ts";
import type { CarriedRow } from "../../ports/thread.ts";
import { newNote } from "./inbox.ts";
import { copyBytes, copyRow, hint, type Store } from "./store.ts";

/** B12 */
export function restore(store: Store, run: RestoredRun): RestoreResult {
  const { journal, notes, carried, blobs } = run;
  const { snapshotSeq: _, ...row } = run.row;
  const standing = store.runs.get(row.id);
  if (standing !== undefined) return { type: "exists", row: standing.row };
  const active = activeIn(store, row.thread);
  if (active !== undefined && !endedStatuses.has(row.status)) return { type: "busy", row: active };
  const left = row.thread === null ? [] : (store.carried.get(row.thread) ?? []);
  const there = new Map(left.map((each) => [each.n, each]));
  const other = carried.find((each) => !isSame(there.get(each.n) ?? each, each));
  if (other !== undefined) return { type: "carried", n: other.n };
  const more = carried.filter(({ n }) => !there.has(n)).map((each) => ({ ...each, bytes: copyBytes(each.bytes) }));
  if (active !== undefined && more.length > 0) return { type: "busy", row: active };
  store.runs.set(row.id, {
    row: { ...row, owner: null },
    journal: journal.map(copyRow),
    notes: notes.map((note) => ({ note: newNote(store, note), handled: note.handled })),
    blobs: new Set(blobs),
    claimedAt: row.updatedAt,
    claimedSeq: row.lastSeq,
    holdUntil: 0,
  });
  if (row.thread !== null)
    store.carried.set(
      row.thread,
      [...left, ...more].sort((a, b) => a.n - b.n),
    );
  hint(store);
  return { type: "restored" };
}

/** B10 */
export function activeIn(store: Store, thread: string | null): RunRow | undefined {
  if (thread === null) return undefined;
  for (const { row } of store.runs.values()) if (row.thread === thread && !endedStatuses.has(row.status)) return row;
  return undefined;
}

function isSame(a: CarriedRow, b: CarriedRow): boolean {
  return a.runId === b.runId && a.whole === b.whole && isEqual(a.bytes, b.bytes);
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && a.every((byte, i) => byte === b[i]);
}
