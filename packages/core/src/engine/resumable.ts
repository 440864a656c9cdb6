import { fingerprintMismatch } from "../journal/recorded-graph.ts";
import { migrationFrom } from "../model/migration.ts";
import type { Plan } from "../model/plan.ts";
import type { RunRow, RunStatus } from "../ports/backend.ts";
import { runEnded } from "./run-errors.ts";

/** Where a run can stand from which it can go on. */
export const resumable: readonly RunStatus[] = [
  "queued",
  "running",
  "interrupted",
  "drained",
  "quarantined",
  "needs_review",
];

/** @throws MillraceError `RunEnded`, `FingerprintMismatch` */
export function checkResumable(row: RunRow, plan: Plan, allowGraphChange: boolean): void {
  if (!resumable.includes(row.status)) throw runEnded(row);
  if (!allowGraphChange && migrationFrom(plan, row.fingerprint) === null)
    throw fingerprintMismatch(row.id, row.graph, row.fingerprint, plan);
}
