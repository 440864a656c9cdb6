import type { Tables } from "./tables.ts";

/**
 * Rows that came lately: whoever sees other counts than before looks what came. Not only the greatest number, for one that was
 * given earlier may be committed later. Parameters: a number to look from, and the owner.
 */
export function selectHints({ hints }: Tables): string {
  return `
SELECT COALESCE(MAX(n), 0) AS last, COALESCE(SUM(owner_n IS NULL OR owner_n = ?), 0) AS ours, COUNT(*) AS seen
FROM ${hints} WHERE n > ?`;
}

export function insertHint({ hints }: Tables): string {
  return `
INSERT INTO ${hints} (owner_n) VALUES (NULL)`;
}

/** What everybody has seen long ago; the last value: how many at most. */
export function deleteHints({ hints }: Tables): string {
  return `
DELETE FROM ${hints} WHERE n <= ? ORDER BY n LIMIT ?`;
}
