import { openStatuses } from "../../../ports/backend.ts";

/** By status, which has an index. */
const isOpen = `status IN (${openStatuses.map((status) => `'${status}'`).join(", ")})`;

export const countOpen: string = `
SELECT count(*) AS runs, count(owner) AS owned FROM millrace_runs WHERE ${isOpen}`;

/** How much is added to the epochs, and the clock. */
export const fenceToResume: string = `
UPDATE millrace_runs SET epoch = epoch + ?, owner = NULL, attempts = 0, hold_until = 0, updated_at = ?
WHERE ${isOpen}`;

export const fenceForReview: string = `
UPDATE millrace_runs SET epoch = epoch + ?, owner = NULL, attempts = 0, hold_until = 0, updated_at = ?,
  status = 'needs_review', wake_at = NULL
WHERE ${isOpen}`;
