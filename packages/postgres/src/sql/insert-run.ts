import { fenceStep } from "@millrace/core";

import type { Tables } from "./tables.ts";

/**
 * B1: run, first journal row, labels and the names of blobs, or nothing: no row comes back when the id is taken, or, B10,
 * the thread has a run that has not ended. Its epoch is the first one of its owner (B15).
 */
export function insertRun({ runs, journal, labels, blobRefs }: Tables): string {
  return `
WITH run AS (
  INSERT INTO ${runs} (id, graph, fingerprint, status, owner, owner_n, epoch, claimed_at, claimed_seq, last_seq, chain,
    created_at, updated_at, trace_id, labels, thread)
  VALUES ($1, $2, $3, 'running', $4, $5::bigint, 1 + $5::bigint / ${fenceStep} * ${fenceStep}, $6, $7, $7, $8, $6, $6, $9, $10, $11)
  ON CONFLICT DO NOTHING
  RETURNING n),
row AS (
  INSERT INTO ${journal} (run, first_seq, count, chain, bytes) SELECT n, 1, $7, $8, $12 FROM run),
label AS (
  INSERT INTO ${labels} (key, value, run)
  SELECT given.key, given.value, n FROM run, unnest($13::text[], $14::text[]) AS given (key, value)),
blob AS (
  INSERT INTO ${blobRefs} (hash, run) SELECT DISTINCT hash, n FROM run, unnest($15::text[]) AS hash)
SELECT n FROM run`;
}
