import type { NewRun } from "../../ports/backend.ts";
import type { CarriedRow } from "../../ports/thread.ts";
import { newestIn } from "./list.ts";
import { copyBytes, type Store } from "./store.ts";

/** Of a thread; 0: it has none. */
export function lastCarried(store: Store, thread: string): number {
  return store.carried.get(thread)?.at(-1)?.n ?? 0;
}

/** Whether the thread is not as the creator of the run knows it (B16). */
export function hasMoved(store: Store, { thread, carriedUpTo, follows }: NewRun): boolean {
  if (typeof thread !== "string") return false;
  if (carriedUpTo !== undefined && carriedUpTo !== lastCarried(store, thread)) return true;
  return follows !== undefined && follows !== (newestIn(store, thread)?.id ?? null);
}

export function carriedOf(store: Store, thread: string, upTo: number, from: number): CarriedRow[] {
  const all = store.carried.get(thread) ?? [];
  const rows = all.slice(0, all.findLastIndex(({ n }) => n <= upTo) + 1);
  const whole = rows.findLastIndex((row) => row.whole);
  const known = rows.findIndex(({ n }) => n >= from);
  return rows
    .slice(known === -1 ? rows.length : Math.max(0, whole, known))
    .map((row) => ({ ...row, bytes: copyBytes(row.bytes) }));
}

/** Those before the last whole row that any run of the thread, or the next one, is read from. */
export function pruneCarried(store: Store, thread: string): void {
  const rows = store.carried.get(thread) ?? [];
  let needed = Infinity;
  for (const { row } of store.runs.values())
    if (row.thread === thread) needed = Math.min(needed, row.carriedUpTo ?? Infinity);
  const floor = rows.findLast(({ n, whole }) => whole && n <= needed)?.n ?? 0;
  if (floor > 0)
    store.carried.set(
      thread,
      rows.filter(({ n }) => n >= floor),
    );
}
