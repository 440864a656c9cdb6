import type { Plan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";

/** Runs that are held, of each graph, beyond which nobody looks: those are woken by what is said to them next. */
const most = 1_000;

/**
 * What is said to a run while it is being drained is read by whoever drained it, right after it is held. If that one dies in
 * between, an answer or a cancel lies there: the run is queued, as if it had been said a moment later.
 */
export async function queueUnread(backend: Backend, plans: readonly Plan[], at: number): Promise<void> {
  for (const { name, fingerprint } of plans)
    for (const row of await backend.list({ status: ["drained"], graph: name, limit: most }))
      if (row.fingerprint === fingerprint && (await isSpokenTo(backend, row))) await backend.requeue(row.id, at);
}

async function isSpokenTo(backend: Backend, { id }: RunRow): Promise<boolean> {
  return (await backend.inbox(id)).some(({ kind }) => kind !== "drain");
}
