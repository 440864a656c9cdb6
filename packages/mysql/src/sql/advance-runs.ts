import { ended } from "./ended.ts";
import { procedure, type Procedure } from "./procedure.ts";
import type { Tables } from "./tables.ts";

/**
 * As `advanceRun`, for many runs in one commit; each is fenced for itself, and the positions of those that were not lost come
 * back (H14). What is given is JSON, a list for each run, journal row, handled note, row that is carried on, and blob that is
 * named (null: there are none of the last three, nor new statuses); bytes lie end to end in one value.
 *
 * Runs are locked first, in one order, and every procedure takes the locks of a run before those of its notes.
 */
export const advanceRuns: Procedure = procedure({
  name: "advance_runs",
  version: 1,
  parameters: [
    "given_runs LONGTEXT",
    "given_rows LONGTEXT",
    "given_notes LONGTEXT",
    "given_carried LONGTEXT",
    "given_blobs LONGTEXT",
    "given_bytes LONGBLOB",
  ],
  variables: ["kept LONGTEXT"],
  body: (tables) => `
  SELECT GROUP_CONCAT(r.n, ' ', g.i SEPARATOR ',') INTO kept
  FROM ${givenRuns} STRAIGHT_JOIN ${tables.runs} AS r ON r.id_key = UNHEX(g.hex)
  WHERE r.epoch = g.epoch AND r.last_seq = g.first_seq - 1
  FOR UPDATE;
  IF kept IS NOT NULL THEN
    ${journalRows(tables)}
    IF given_notes IS NOT NULL THEN ${handledNotes(tables)} END IF;
    IF given_carried IS NOT NULL THEN ${carriedOn(tables)} END IF;
    IF given_blobs IS NOT NULL THEN ${namedBlobs(tables)} END IF;
    ${advanced(tables)}
  END IF;
  COMMIT;
  SELECT kept;`,
});

const givenRuns = `JSON_TABLE(given_runs, '$[*]' COLUMNS (
    i INT PATH '$[0]', hex CHAR(64) PATH '$[1]', epoch BIGINT PATH '$[2]', first_seq BIGINT PATH '$[3]',
    last_seq BIGINT PATH '$[4]', chain BIGINT PATH '$[5]', at BIGINT PATH '$[6]',
    status VARCHAR(16) PATH '$[7]', fingerprint TEXT PATH '$[8]', released INT PATH '$[9]', wake_at BIGINT PATH '$[10]',
    changes INT PATH '$[11]')) AS g`;

/** The run of a part, as long as its fence holds: `part` has the key, epoch and last sequence number of its run. */
function fenced({ runs }: Tables, part: string): string {
  return `STRAIGHT_JOIN ${runs} AS r ON r.id_key = UNHEX(${part}.hex) AND r.epoch = ${part}.epoch AND r.last_seq = ${part}.seq`;
}

const fence = "hex CHAR(64) PATH '$[0]', epoch BIGINT PATH '$[1]', seq BIGINT PATH '$[2]'";

function journalRows(tables: Tables): string {
  return `
    INSERT INTO ${tables.journal} (run, first_seq, count, chain, size, bytes)
    SELECT r.n, w.first_seq, w.count, w.chain, w.size, SUBSTRING(given_bytes, w.start, w.size)
    FROM JSON_TABLE(given_rows, '$[*]' COLUMNS (${fence}, first_seq BIGINT PATH '$[3]', count BIGINT PATH '$[4]',
      chain BIGINT PATH '$[5]', start BIGINT PATH '$[6]', size BIGINT PATH '$[7]')) AS w
    ${fenced(tables, "w")};`;
}

/** B9: what is decided by \`unhandled\` is decided by its latest value, since the run is locked. */
function handledNotes(tables: Tables): string {
  const { notes, runs } = tables;
  const given = `JSON_TABLE(given_notes, '$[*]' COLUMNS (${fence}, kind VARCHAR(16) PATH '$[3]', name CHAR(64) PATH '$[4]')) AS h`;
  return `
    UPDATE ${given} ${fenced(tables, "h")}
      STRAIGHT_JOIN ${notes} AS note ON note.run = r.n AND note.kind = h.kind AND note.name_key = UNHEX(h.name)
    SET note.handled = 1;
    UPDATE ${givenRuns} STRAIGHT_JOIN ${runs} AS r
      ON r.id_key = UNHEX(g.hex) AND r.epoch = g.epoch AND r.last_seq = g.first_seq - 1
    SET r.unhandled = (SELECT COUNT(*) FROM ${notes} AS note WHERE note.run = r.n AND note.handled = 0)
    WHERE r.unhandled > 0;`;
}

/** The run is the only one of its thread that has not ended, so nobody else counts its rows. */
function carriedOn(tables: Tables): string {
  const { carried } = tables;
  return `
    INSERT INTO ${carried} (thread_key, n, thread, run_id, whole, bytes)
    SELECT r.thread_key, 1 + COALESCE((SELECT MAX(c.n) FROM ${carried} AS c WHERE c.thread_key = r.thread_key), 0),
      r.thread, r.id, o.whole, SUBSTRING(given_bytes, o.start, o.size)
    FROM JSON_TABLE(given_carried, '$[*]' COLUMNS (${fence}, whole INT PATH '$[3]', start BIGINT PATH '$[4]',
      size BIGINT PATH '$[5]')) AS o
    ${fenced(tables, "o")}
    WHERE r.thread_key IS NOT NULL;`;
}

function namedBlobs(tables: Tables): string {
  const { blobRefs } = tables;
  return `
    INSERT INTO ${blobRefs} (hash_key, run)
    SELECT UNHEX(b.hash), r.n
    FROM JSON_TABLE(given_blobs, '$[*]' COLUMNS (${fence}, hash CHAR(64) PATH '$[3]')) AS b
    ${fenced(tables, "b")}
    ON DUPLICATE KEY UPDATE ${blobRefs}.run = ${blobRefs}.run;`;
}

/** B9: nothing comes to rest over a note that nobody handled. */
function advanced({ runs, hints }: Tables): string {
  const rests = "g.status = 'interrupted' AND r.unhandled > 0";
  return `
    UPDATE ${givenRuns} STRAIGHT_JOIN ${runs} AS r
      ON r.id_key = UNHEX(g.hex) AND r.epoch = g.epoch AND r.last_seq = g.first_seq - 1
    SET r.last_seq = g.last_seq,
      r.chain = g.chain,
      r.updated_at = g.at,
      r.fingerprint = COALESCE(g.fingerprint, r.fingerprint),
      r.owner = IF(g.released, NULL, r.owner),
      r.owner_n = IF(g.released, NULL, r.owner_n),
      r.attempts = IF(g.released, 0, r.attempts),
      r.hold_until = IF(g.released, 0, r.hold_until),
      r.status = IF(${rests}, 'queued', COALESCE(g.status, r.status)),
      r.wake_at = CASE
        WHEN g.status IS NULL THEN r.wake_at
        WHEN ${rests} OR g.status = 'queued' THEN NULL
        ELSE g.wake_at END,
      r.ended_at = CASE
        WHEN g.status IS NULL THEN r.ended_at
        WHEN g.status IN ${ended} THEN g.at
        ELSE NULL END;
    INSERT INTO ${hints} (owner_n)
    SELECT NULL FROM ${givenRuns} STRAIGHT_JOIN ${runs} AS r ON r.id_key = UNHEX(g.hex) AND r.epoch = g.epoch
    WHERE g.changes = 1 AND r.ended_at IS NULL AND (r.owner_n IS NULL OR r.status = 'queued')
    LIMIT 1;`;
}
