import type { Tables } from "./tables.ts";

/**
 * B2: the fence, for one plain append: the journal row follows only if this writer's epoch and last sequence number still
 * stand. One statement is one transaction, so a process that stops in the middle holds nothing that it could have let go.
 */
export function advanceRun({ runs, journal }: Tables): string {
  return `
WITH run AS (
  UPDATE ${runs} SET last_seq = $3::bigint + $4::bigint - 1, chain = $5::bigint, updated_at = $6::bigint
  WHERE id = $1 AND epoch = $2 AND last_seq = $3::bigint - 1
  RETURNING n)
INSERT INTO ${journal} (run, first_seq, count, chain, bytes)
SELECT n, $3::bigint, $4::bigint, $5::bigint, $7::bytea FROM run`;
}
