import { ended } from "./ended.ts";
import { lives } from "./lives.ts";
import { runColumns } from "./run-columns.ts";
import type { Tables } from "./tables.ts";

/**
 * B9: the run's row is locked first, so that a note and a run that comes to rest never miss each other; then the insert is
 * the compare-and-set. `$1` run, `$2` kind, `$3` key, `$4` bytes, `$5` by, `$6` at, `$7` statuses to wake from. One at rest
 * that is just being taken up is due, should its owner die before it wrote so. A row comes back only if the note was posted.
 */
export function insertNote(tables: Tables): string {
  const { runs, notes, channel } = tables;
  return `
WITH run AS MATERIALIZED (
  SELECT r.n, r.status = ANY ($7::text[]) AND NOT ${lives(tables)} AS wakes, r.owner_n,
    r.status = ANY ($7::text[]) AND r.status = 'interrupted' AS rests
  FROM ${runs} AS r
  WHERE r.id = $1 AND r.status NOT IN ${ended}
  FOR UPDATE OF r),
note AS (
  INSERT INTO ${notes} (run, kind, key, bytes, by, at)
  SELECT run.n, $2, $3, $4, $5, $6::bigint FROM run
  ON CONFLICT DO NOTHING
  RETURNING run, n),
posted AS (
  UPDATE ${runs} AS r SET
    unhandled = r.unhandled + 1,
    status = CASE WHEN run.wakes THEN 'queued' ELSE r.status END,
    wake_at = CASE WHEN run.wakes THEN NULL WHEN run.rests THEN 0 ELSE r.wake_at END,
    owner = CASE WHEN run.wakes THEN NULL ELSE r.owner END,
    owner_n = CASE WHEN run.wakes THEN NULL ELSE r.owner_n END,
    updated_at = CASE WHEN run.wakes THEN $6::bigint ELSE r.updated_at END
  FROM note JOIN run ON run.n = note.run
  WHERE r.n = note.run
  RETURNING r.*, note.n AS note_id)
SELECT ${runColumns}, r.note_id AS "noteId", pg_notify(${channel}, coalesce(r.owner_n::text, ''))::text AS told FROM posted AS r`;
}

export function selectNote({ runs, notes }: Tables): string {
  return `
SELECT note.n AS id, r.id AS "runId", note.kind, note.key, note.bytes, note.by, note.at
FROM ${runs} AS r JOIN ${notes} AS note ON note.run = r.n
WHERE r.id = $1 AND note.kind = $2 AND note.key = $3`;
}

/** Of one run, those that nobody handled, oldest first. */
export function selectNotes({ runs, notes }: Tables): string {
  return `
SELECT note.n AS id, r.id AS "runId", note.kind, note.key, note.bytes, note.by, note.at
FROM ${runs} AS r JOIN ${notes} AS note ON note.run = r.n
WHERE r.id = $1 AND NOT note.handled
ORDER BY note.n`;
}

/** Of one run, handled or not, oldest first. */
export function selectAllNotes({ runs, notes }: Tables): string {
  return `
SELECT note.n AS id, r.id AS "runId", note.kind, note.key, note.bytes, note.by, note.at, note.handled
FROM ${runs} AS r JOIN ${notes} AS note ON note.run = r.n
WHERE r.id = $1
ORDER BY note.n`;
}

/** Notes of the run with number `$1`, in their order. The run's row counts those that nobody handled. */
export function restoreNotes({ notes }: Tables): string {
  return `
INSERT INTO ${notes} (run, kind, key, bytes, by, at, handled)
SELECT $1::bigint, given.kind, given.key, given.bytes, given.by, given.at, given.handled
FROM unnest($2::text[], $3::text[], $4::bytea[], $5::text[], $6::bigint[], $7::boolean[])
  WITH ORDINALITY AS given (kind, key, bytes, by, at, handled, position)
ORDER BY given.position`;
}

export function selectArrivals({ runs }: Tables): string {
  return `
SELECT id FROM ${runs} WHERE owner_n = $1 AND unhandled > 0 LIMIT $2::bigint`;
}

export function deleteNote({ runs, notes }: Tables): string {
  return `
WITH run AS MATERIALIZED (
  SELECT n FROM ${runs} WHERE id = $1 FOR UPDATE),
note AS (
  DELETE FROM ${notes} AS note USING run
  WHERE note.run = run.n AND note.n = $2::bigint AND NOT note.handled
  RETURNING note.run)
UPDATE ${runs} AS r SET unhandled = r.unhandled - 1 FROM note WHERE r.n = note.run`;
}
