import type { RunFilter, RunRow } from "../../ports/backend.ts";
import type { Store } from "./store.ts";

export function list(store: Store, filter: RunFilter): RunRow[] {
  const rows = [...store.runs.values()].map(({ row }) => row).filter((row) => matches(row, filter));
  // Reversed first, so that of two runs with one time the later comes first: the sort is stable.
  rows.reverse().sort(filter.thread === undefined ? byTime : byCarried);
  return rows.slice(0, filter.limit);
}

/** B16. Undefined: it has none. */
export function newestIn(store: Store, thread: string): RunRow | undefined {
  return list(store, { thread, limit: 1 })[0];
}

function byTime(a: RunRow, b: RunRow): number {
  return b.createdAt - a.createdAt;
}

/** B16 */
function byCarried(a: RunRow, b: RunRow): number {
  return (b.carriedUpTo ?? 0) - (a.carriedUpTo ?? 0);
}

function matches(row: RunRow, filter: RunFilter): boolean {
  const { status, graph = row.graph, labels = {}, createdUntil = Infinity } = filter;
  if (!(status?.includes(row.status) ?? true) || graph !== row.graph || !isOfThread(row, filter)) return false;
  return row.createdAt <= createdUntil && Object.entries(labels).every(([key, value]) => labelOf(row, key) === value);
}

function isOfThread({ thread, carriedUpTo }: RunRow, filter: RunFilter): boolean {
  if (filter.thread === undefined) return true;
  return thread === filter.thread && (carriedUpTo ?? 0) <= (filter.carriedUntil ?? Infinity);
}

function labelOf({ labels }: RunRow, key: string): string | undefined {
  return labels !== null && Object.hasOwn(labels, key) ? labels[key] : undefined;
}
