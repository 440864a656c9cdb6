import { holdBackMs, longLifeMs, type ClaimRequest, type RunRow } from "../../ports/backend.ts";
import { isOwned, type Store, type StoredRun } from "./store.ts";

/** B6 */
export function claim(store: Store, owner: string, request: ClaimRequest): RunRow[] {
  return [...store.runs.values()]
    .filter((run) => isClaimable(store, run, request))
    .sort((a, b) => a.row.createdAt - b.row.createdAt)
    .slice(0, Math.max(0, request.limit))
    .map((run) => take(run, owner, request));
}

function isClaimable(store: Store, run: StoredRun, request: ClaimRequest): boolean {
  const { row } = run;
  const { runId, at } = request;
  if (isOwned(store, row) || !isWanted(row, request) || request.except?.includes(row.id) === true) return false;
  return runId === undefined ? run.holdUntil <= at : row.id === runId;
}

function isWanted(row: RunRow, { statuses, due = false, graphs, at }: ClaimRequest): boolean {
  const isDue = due && row.status === "interrupted" && row.wakeAt !== null && row.wakeAt <= at;
  if (!isDue && !statuses.includes(row.status)) return false;
  if (graphs === undefined) return true;
  return graphs.some(
    ({ graph, fingerprint = row.fingerprint }) => graph === row.graph && fingerprint === row.fingerprint,
  );
}

function take(run: StoredRun, owner: string, { runId, at, maxAttempts = Infinity }: ClaimRequest): RunRow {
  const attempts = runId === undefined ? attemptsAfter(run, at) : 0;
  if (attempts > maxAttempts) {
    run.row = { ...run.row, attempts, status: "quarantined", owner: null, updatedAt: at };
    return run.row;
  }
  run.row = { ...run.row, attempts, owner, epoch: run.row.epoch + 1, updatedAt: at };
  run.holdUntil = at + holdBackMs(attempts);
  run.claimedAt = at;
  run.claimedSeq = run.row.lastSeq;
  return run.row;
}

function attemptsAfter({ row, claimedAt, claimedSeq }: StoredRun, at: number): number {
  if (row.owner === null) return row.attempts;
  const cameFurther = row.lastSeq > claimedSeq + 1 || at - claimedAt > longLifeMs;
  return cameFurther ? 1 : row.attempts + 1;
}
