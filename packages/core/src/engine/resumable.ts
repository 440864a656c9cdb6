import type { RunStatus } from "../ports/backend.ts";

/** Where a run can stand from which it can go on. */
export const resumable: readonly RunStatus[] = [
  "queued",
  "running",
  "interrupted",
  "drained",
  "quarantined",
  "needs_review",
];
