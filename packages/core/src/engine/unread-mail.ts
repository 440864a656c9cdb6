import type { Plan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import { noteWakes, type NoteKind } from "../ports/inbox.ts";

/** Runs that are held, of each graph, beyond which nobody looks: those are woken by what is said to them next. */
const most = 1_000;

/**
 * What is said to a run while it is being drained is read by whoever drained it, right after it is held; what is said to one that
 * is held, while somebody takes it up, is read by that one. If it dies in between, an answer or a cancel lies there: the run is
 * queued, as if it had been said a moment later. One that waits for answers is woken by its store (B9).
 */
export async function queueUnread(backend: Backend, plans: readonly Plan[], at: number): Promise<void> {
  for (const { name, fingerprint } of plans)
    for (const row of await backend.list({ status: held, graph: name, limit: most }))
      if (row.fingerprint === fingerprint && (await isSpokenTo(backend, row))) await backend.requeue(row.id, at);
}

const held = ["drained", "quarantined", "needs_review"] as const;

/** By something that would have woken it. */
async function isSpokenTo(backend: Backend, { id, status }: RunRow): Promise<boolean> {
  const wakes = (kind: NoteKind): boolean => noteWakes[kind].includes(status);
  return (await backend.inbox(id)).some(({ kind }) => wakes(kind));
}
