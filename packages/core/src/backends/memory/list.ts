import type { RunFilter, RunRow } from "../../ports/backend.ts";
import type { Store } from "./store.ts";

export function list(store: Store, filter: RunFilter): RunRow[] {
  const rows = [...store.runs.values()].map(({ row }) => row).filter((row) => matches(row, filter));
  // Reversed first, so that of two runs with one time the later comes first: the sort is stable.
  rows.reverse().sort((a, b) => b.createdAt - a.createdAt);
  return rows.slice(0, filter.limit);
}

function matches(row: RunRow, { status, graph, thread, labels = {}, createdUntil = Infinity }: RunFilter): boolean {
  if (!(status?.includes(row.status) ?? true) || (graph ?? row.graph) !== row.graph) return false;
  if (thread !== undefined && row.thread !== thread) return false;
  return row.createdAt <= createdUntil && Object.entries(labels).every(([key, value]) => labelOf(row, key) === value);
}

function labelOf({ labels }: RunRow, key: string): string | undefined {
  return labels !== null && Object.hasOwn(labels, key) ? labels[key] : undefined;
}
