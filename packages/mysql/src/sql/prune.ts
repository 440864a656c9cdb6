import { ended } from "./ended.ts";
import type { Tables } from "./tables.ts";

export interface PruneShape {
  readonly statuses: number | undefined;
  readonly graph: boolean;
  readonly thread: boolean;
}

/** H27: runs that ended before a moment, at most so many, locked. Parameters in that order, the shape's before the limit. */
export function lockEnded({ runs }: Tables, { statuses, graph, thread }: PruneShape): string {
  const listed = statuses === 0 ? "''" : Array.from({ length: statuses ?? 0 }, () => "?").join(", ");
  return `
SELECT n, HEX(thread_key) AS thread FROM ${runs}
WHERE ended_at < ? AND status IN ${ended}${statuses === undefined ? "" : ` AND status IN (${listed})`}${
    graph ? " AND graph_key = ?" : ""
  }${thread ? " AND thread_key = ?" : ""}
ORDER BY ended_at, n
LIMIT ?
FOR UPDATE SKIP LOCKED`;
}

/** Runs by number, and all that belongs to them alone. */
export function deleteRuns({ runs, journal, labels, notes, blobRefs }: Tables): readonly string[] {
  const given = "JSON_TABLE(?, '$[*]' COLUMNS (n BIGINT PATH '$')) AS given";
  const belonging = [journal, labels, notes, blobRefs].map(
    (table) => `DELETE part FROM ${given} STRAIGHT_JOIN ${table} AS part ON part.run = given.n`,
  );
  return [...belonging, `DELETE r FROM ${given} STRAIGHT_JOIN ${runs} AS r ON r.n = given.n`];
}

/**
 * The last whole row that any run that is left, or the next one, is read from, of each given thread: what stands before it is
 * read by nobody any more.
 */
export function selectFloors({ runs, carried }: Tables): string {
  return `
SELECT given.hex, (
  SELECT MAX(c.n) FROM ${carried} AS c
  WHERE c.thread_key = UNHEX(given.hex) AND c.whole = 1 AND c.n <= COALESCE(
    (SELECT MIN(r.carried_up_to) FROM ${runs} AS r WHERE r.thread_key = UNHEX(given.hex)), c.n)) AS floor
FROM JSON_TABLE(?, '$[*]' COLUMNS (hex CHAR(64) PATH '$')) AS given`;
}

/** All that a thread carries, when it has no run any more. Its key twice. */
export function deleteCarriedOfNone({ runs, carried }: Tables): string {
  return `
DELETE FROM ${carried} WHERE thread_key = ? AND NOT EXISTS (SELECT 1 FROM ${runs} AS r WHERE r.thread_key = ?)`;
}

export function deleteCarried({ carried }: Tables): string {
  return `
DELETE c FROM JSON_TABLE(?, '$[*]' COLUMNS (hex CHAR(64) PATH '$[0]', floor BIGINT PATH '$[1]')) AS given
  STRAIGHT_JOIN ${carried} AS c ON c.thread_key = UNHEX(given.hex) AND c.n < given.floor`;
}

/**
 * First parts of blobs that nothing names and that were stored before a moment: without it there is no blob. One that is
 * stored again meanwhile is young again.
 */
export function deleteBlobs({ blobs, blobRefs }: Tables): string {
  return `
DELETE b FROM ${blobs} AS b LEFT JOIN ${blobRefs} AS named ON named.hash_key = b.hash_key
WHERE b.part = 0 AND b.stored_at < ? AND named.hash_key IS NULL`;
}

/** What is left of them, and of blobs whose storing was given up long ago. */
export function deleteBlobParts({ blobs, blobRefs }: Tables): string {
  return `
DELETE b FROM ${blobs} AS b
  LEFT JOIN ${blobs} AS first ON first.hash_key = b.hash_key AND first.part = 0
  LEFT JOIN ${blobRefs} AS named ON named.hash_key = b.hash_key
WHERE b.part > 0 AND b.stored_at < ? AND first.hash_key IS NULL AND named.hash_key IS NULL`;
}
