import { longLifeMs } from "@millrace/core";

import { lives } from "./lives.ts";
import { runColumns } from "./run-columns.ts";
import type { Tables } from "./tables.ts";

export interface ClaimShape {
  /** `$4` is the id of the only run that is wanted; else it is null. */
  readonly byId: boolean;
  /** No ended status is wanted. */
  readonly open: boolean;
}

/**
 * B6: takes over and returns in one statement, so only what came back may run (H7). Rows that somebody else has locked are
 * left out; see `isHeld`.
 *
 * `$1` statuses, `$2` whether due runs too, `$3` the clock, `$4` the run, `$5`–`$6` graphs and their fingerprints (null: any),
 * `$7` runs that are left out, `$8` the limit, `$9`–`$10` owner and its number, `$11` the mark of this call,
 * `$12` the greatest number of deaths or null. An owner that does not live takes nothing.
 */
export function claimRuns(tables: Tables, shape: ClaimShape): string {
  const { runs, owners } = tables;
  return `
WITH wanted AS MATERIALIZED (
  SELECT r.n, ${attempts(shape)} AS attempts
  ${claimable(tables, shape)}
    AND EXISTS (SELECT FROM ${owners} AS o WHERE o.n = $10::bigint AND o.lease_until > clock_timestamp())
  ORDER BY r.created_at, r.n
  LIMIT $8::bigint
  FOR UPDATE OF r SKIP LOCKED),
judged AS (
  SELECT n, attempts, coalesce(attempts > $12::bigint, false) AS spent FROM wanted)
UPDATE ${runs} AS r SET
  attempts = j.attempts,
  status = CASE WHEN j.spent THEN 'quarantined' ELSE r.status END,
  owner = CASE WHEN j.spent THEN NULL ELSE $9::text END,
  owner_n = CASE WHEN j.spent THEN NULL ELSE $10::bigint END,
  epoch = CASE WHEN j.spent THEN r.epoch ELSE r.epoch + 1 END,
  claim = $11::text,
  claimed_at = CASE WHEN j.spent THEN r.claimed_at ELSE $3::bigint END,
  claimed_seq = CASE WHEN j.spent THEN r.claimed_seq ELSE r.last_seq END,
  hold_until = CASE
    WHEN j.spent THEN r.hold_until
    WHEN j.attempts < 2 THEN 0
    ELSE $3::bigint + least(1000 * 2 ^ least(j.attempts - 2, 20), 300000)::bigint END,
  updated_at = $3::bigint
FROM judged AS j
WHERE r.n = j.n
RETURNING r.n, ${runColumns}`;
}

/** Whether there is a run that the same request would take, were it not locked. As `claimRuns`, with `$1`–`$7`. */
export function isHeld(tables: Tables, shape: ClaimShape): string {
  return `
SELECT r.n ${claimable(tables, shape)} LIMIT 1`;
}

/** What this very call took, when its answer did not come (H16). */
export function selectClaimed({ runs }: Tables): string {
  return `
SELECT r.n, ${runColumns} FROM ${runs} AS r WHERE r.claim = $1 AND (r.owner_n = $2 OR r.status = 'quarantined')`;
}

/** Who names a run begins at 0. One that was released, or that came further under its owner, or whose owner lived long, did not kill it. */
function attempts({ byId }: ClaimShape): string {
  if (byId) return "0";
  return `CASE
    WHEN r.owner IS NULL THEN r.attempts
    WHEN r.last_seq > r.claimed_seq + 1 OR $3::bigint - r.claimed_at > ${longLifeMs} THEN 1
    ELSE r.attempts + 1 END`;
}

/**
 * A row that changed since the statement began is looked at again when it is locked, but everything beside it is seen as it
 * was before: an owner that came meanwhile is not. So a run is left alone whose epoch has risen: `seen` is what it was.
 */
function claimable(tables: Tables, { byId, open }: ClaimShape): string {
  const { runs } = tables;
  return `FROM ${runs} AS r JOIN ${runs} AS seen ON seen.n = r.n AND seen.epoch = r.epoch
  WHERE (r.status = ANY ($1::text[]) OR ($2::boolean AND r.status = 'interrupted' AND r.wake_at <= $3::bigint))
    AND NOT ${lives(tables)}
    AND ${byId ? "r.id = $4::text" : "$4::text IS NULL AND r.hold_until <= $3::bigint"}
    AND NOT r.id = ANY ($7::text[])
    ${open ? "AND r.ended_at IS NULL" : ""}
    AND ($5::text[] IS NULL OR EXISTS (
      SELECT FROM unnest($5::text[], $6::text[]) AS held (graph, fingerprint)
      WHERE held.graph = r.graph AND (held.fingerprint IS NULL OR held.fingerprint = r.fingerprint)))`;
}
