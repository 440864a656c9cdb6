import { rowsOf } from "./advance-runs.ts";
import { ended } from "./ended.ts";
import type { Tables } from "./tables.ts";

/**
 * As `advanceRuns`, for batches that also change statuses or graphs, give up owners, handle notes, carry state on or name
 * blobs. `$13`–`$16`: per run its new status, fingerprint (null: as before), whether it is released, when it wakes. Then, each
 * with the position of its run: `$17`–`$19` notes by kind and key, `$20`–`$22` what is carried on, and `$23`–`$24` hashes.
 *
 * Runs are locked first, so that what is decided by `unhandled` is decided by its latest value, and every statement takes
 * the locks of a run before those of its notes.
 */
export function advanceRunsStatus(tables: Tables): string {
  const { journal, blobRefs } = tables;
  return `
WITH ${fenced(tables)},
${handled(tables)},
${advanced(tables)},
row AS (
  INSERT INTO ${journal} (run, first_seq, count, chain, bytes)
  SELECT advanced.n, w.first_seq, w.count, w.chain, substring($12::bytea FROM w.start FOR w.length)
  FROM ${rowsOf("$7", "$8", "$9", "$10", "$11")} AS w
  JOIN advanced ON advanced.i = w.run),
${carriedOn(tables)},
blob AS (
  INSERT INTO ${blobRefs} (hash, run)
  SELECT DISTINCT given.hash, advanced.n
  FROM unnest($23::bigint[], $24::text[]) AS given (run, hash) JOIN advanced ON advanced.i = given.run
  ON CONFLICT DO NOTHING)
SELECT i, CASE WHEN free THEN pg_notify(${tables.channel}, '')::text END AS told FROM advanced`;
}

function fenced({ runs }: Tables): string {
  return `fenced AS MATERIALIZED (
  SELECT r.n, g.*
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
      $13::text[], $14::text[], $15::boolean[], $16::bigint[])
    WITH ORDINALITY AS g (id, epoch, first_seq, last_seq, chain, at, status, fingerprint, release, wake_at, i)
  JOIN ${runs} AS r ON r.id = g.id AND r.epoch = g.epoch AND r.last_seq = g.first_seq - 1
  FOR UPDATE OF r)`;
}

function handled({ notes }: Tables): string {
  return `note AS (
  UPDATE ${notes} AS note SET handled = true
  FROM unnest($17::bigint[], $18::text[], $19::text[]) AS given (run, kind, key) JOIN fenced ON fenced.i = given.run
  WHERE note.run = fenced.n AND note.kind = given.kind AND note.key = given.key AND NOT note.handled
  RETURNING note.run),
handled AS (
  SELECT run, count(*)::integer AS count FROM note GROUP BY run)`;
}

/** B9: nothing comes to rest over a note that nobody handled. */
function advanced({ runs }: Tables): string {
  return `settled AS (
  SELECT fenced.*, coalesce(handled.count, 0) AS handled
  FROM fenced LEFT JOIN handled ON handled.run = fenced.n),
advanced AS (
  UPDATE ${runs} AS r SET
    last_seq = g.last_seq,
    chain = g.chain,
    updated_at = g.at,
    unhandled = r.unhandled - g.handled,
    fingerprint = coalesce(g.fingerprint, r.fingerprint),
    owner = CASE WHEN g.release THEN NULL ELSE r.owner END,
    owner_n = CASE WHEN g.release THEN NULL ELSE r.owner_n END,
    attempts = CASE WHEN g.release THEN 0 ELSE r.attempts END,
    hold_until = CASE WHEN g.release THEN 0 ELSE r.hold_until END,
    status = CASE
      WHEN g.status = 'interrupted' AND r.unhandled > g.handled THEN 'queued'
      ELSE coalesce(g.status, r.status) END,
    wake_at = CASE
      WHEN g.status IS NULL THEN r.wake_at
      WHEN g.status = 'interrupted' AND r.unhandled > g.handled OR g.status = 'queued' THEN NULL
      ELSE g.wake_at END,
    ended_at = CASE
      WHEN g.status IS NULL THEN r.ended_at
      WHEN g.status IN ${ended} THEN g.at
      ELSE NULL END
  FROM settled AS g
  WHERE r.n = g.n
  RETURNING r.n, r.id, r.thread, g.i, r.status = 'queued' OR (g.release AND r.ended_at IS NULL) AS free)`;
}

/** The run is the only one of its thread that has not ended, so nobody else counts its rows. */
function carriedOn({ carried }: Tables): string {
  return `carried_on AS (
  INSERT INTO ${carried} (thread, n, run_id, whole, bytes)
  SELECT advanced.thread, 1 + coalesce((SELECT max(c.n) FROM ${carried} AS c WHERE c.thread = advanced.thread), 0),
    advanced.id, given.whole, given.bytes
  FROM unnest($20::bigint[], $21::boolean[], $22::bytea[]) AS given (run, whole, bytes)
  JOIN advanced ON advanced.i = given.run
  WHERE advanced.thread IS NOT NULL)`;
}
