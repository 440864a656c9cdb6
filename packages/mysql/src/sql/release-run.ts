import type { Tables } from "./tables.ts";

/**
 * A graceful release does not count as an attempt (H12). The first two values: nothing of the run was gone on with, and what
 * was counted stands.
 */
export function releaseRun({ runs }: Tables): string {
  return `
UPDATE ${runs} SET owner = NULL, owner_n = NULL, attempts = IF(?, attempts, 0), hold_until = IF(?, hold_until, 0)
WHERE id_key = ? AND epoch = ? AND owner_n = ?`;
}
