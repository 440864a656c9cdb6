import type { Tables } from "./tables.ts";

/**
 * B12: a run that nobody owns, its labels and the names of its blobs; what else belongs to it follows in the same
 * transaction. No row comes back when the id is taken, or, B10, when `ended_at` is null and the thread has such a run.
 */
export function restoreRun({ runs, labels, blobRefs }: Tables): string {
  return `
WITH run AS (
  INSERT INTO ${runs} (id, graph, fingerprint, status, epoch, attempts, last_seq, chain, wake_at, created_at, updated_at,
    ended_at, trace_id, labels, thread, carried_up_to, unhandled, claimed_at, claimed_seq)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $11, $7)
  ON CONFLICT DO NOTHING
  RETURNING n),
label AS (
  INSERT INTO ${labels} (key, value, run)
  SELECT given.key, given.value, n FROM run, unnest($18::text[], $19::text[]) AS given (key, value)),
blob AS (
  INSERT INTO ${blobRefs} (hash, run) SELECT DISTINCT hash, n FROM run, unnest($20::text[]) AS hash)
SELECT n FROM run`;
}

/** Rows of the journal of the run with number `$1`. */
export function restoreJournal({ journal }: Tables): string {
  return `
INSERT INTO ${journal} (run, first_seq, count, chain, bytes)
SELECT $1::bigint, given.first_seq, given.count, given.chain, given.bytes
FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[]) AS given (first_seq, count, chain, bytes)`;
}

/** The last word on a restored run: when it ended, if it has. */
export function settleRestored({ runs, channel }: Tables): string {
  return `
WITH run AS (UPDATE ${runs} SET ended_at = $2::bigint WHERE n = $1 RETURNING n)
SELECT pg_notify(${channel}, '')::text FROM run`;
}
