import type { Tables } from "./tables.ts";

/** From the last whole row on, up to a row or, where that is null, all; none before another one. Parameters: thread, row, other row, thread, row. */
export function selectCarried({ carried }: Tables): string {
  return `
SELECT c.n, c.run_id AS runId, c.whole, c.bytes
FROM ${carried} AS c
WHERE c.thread_key = ? AND c.n <= COALESCE(?, c.n) AND c.n >= ?
  AND c.n >= COALESCE(
    (SELECT MAX(w.n) FROM ${carried} AS w WHERE w.thread_key = ? AND w.whole = 1 AND w.n <= COALESCE(?, w.n)), 0)
ORDER BY c.n`;
}

/** Those rows of a thread whose numbers are given. */
export function selectCarriedRows({ carried }: Tables): string {
  return `
SELECT c.n, c.run_id AS runId, c.whole, c.bytes
FROM JSON_TABLE(?, '$[*]' COLUMNS (n BIGINT PATH '$')) AS given JOIN ${carried} AS c ON c.thread_key = ? AND c.n = given.n`;
}

/** A row that stands stays as it is. Only for who keeps everybody else from carrying anything on in the thread. */
export function restoreCarried({ carried }: Tables): string {
  return `
INSERT INTO ${carried} (thread_key, n, thread, run_id, whole, bytes) VALUES (?, ?, ?, ?, ?, ?)
ON DUPLICATE KEY UPDATE ${carried}.n = ${carried}.n`;
}
