import { endedStatuses } from "../../ports/backend.ts";
import { hint, isOwned, type Store } from "./store.ts";

export function requeue(store: Store, runId: string, at: number): boolean {
  const run = store.runs.get(runId);
  if (run === undefined || endedStatuses.has(run.row.status) || isOwned(store, run.row)) return false;
  run.row = { ...run.row, status: "queued", owner: null, attempts: 0, wakeAt: null, updatedAt: at };
  run.holdUntil = 0;
  hint(store);
  return true;
}
