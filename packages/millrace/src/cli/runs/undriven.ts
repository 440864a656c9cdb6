import type { Backend, RunRow } from "@millrace/core";

/**
 * Of these runs the ids of those that somebody should drive, and nobody does: any worker takes them up that has their graph, as it
 * was when they began or with a map from that. So what stays among them has found none.
 */
export async function undriven(backend: Backend, rows: readonly RunRow[]): Promise<ReadonlySet<string>> {
  const wanted = rows.filter(({ status }) => status === "queued" || status === "running");
  const owners = [...new Set(wanted.flatMap(({ owner }) => owner ?? []))];
  const living = new Set(owners.length === 0 ? [] : await backend.living(owners));
  return new Set(wanted.filter(({ owner }) => owner === null || !living.has(owner)).map(({ id }) => id));
}
