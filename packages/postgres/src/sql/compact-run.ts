import type { Tables } from "./tables.ts";

/** B13: only ever further, and only where there is such a row. */
export function noteSnapshot({ runs, journal }: Tables): string {
  return `
UPDATE ${runs} AS r SET snapshot_seq = $2::bigint
WHERE r.id = $1 AND r.snapshot_seq < $2::bigint
  AND EXISTS (SELECT FROM ${journal} AS j WHERE j.run = r.n AND j.first_seq = $2::bigint)`;
}

/**
 * B14: the first row of run `$1` becomes one with count `$2`, chain `$3` and bytes `$4`, and the others up to there go, with
 * what names blobs `$6`; those only while the run's last record is `$5`. The first row is changed and not made anew: within
 * one statement its key would still be taken.
 */
export function compactRun({ runs, journal, blobRefs }: Tables): string {
  return `
WITH run AS MATERIALIZED (
  SELECT r.n, r.last_seq FROM ${runs} AS r WHERE r.id = $1 FOR UPDATE),
known AS MATERIALIZED (
  SELECT run.n, (cardinality($6::text[]) = 0 OR run.last_seq = $5::bigint) AS still FROM run
  WHERE EXISTS (SELECT FROM ${journal} AS j WHERE j.run = run.n AND j.first_seq = $2::bigint + 1)),
replaced AS (
  UPDATE ${journal} AS j SET count = $2::bigint, chain = $3::bigint, bytes = $4::bytea
  FROM known WHERE known.still AND j.run = known.n AND j.first_seq = 1),
gone AS (
  DELETE FROM ${journal} AS j USING known
  WHERE known.still AND j.run = known.n AND j.first_seq > 1 AND j.first_seq <= $2::bigint),
forgotten AS (
  DELETE FROM ${blobRefs} AS ref USING known
  WHERE known.still AND ref.run = known.n AND ref.hash = ANY ($6::text[]))
SELECT still FROM known`;
}
