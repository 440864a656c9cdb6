import { ended } from "./ended.ts";
import type { Tables } from "./tables.ts";

export interface PruneShape {
  readonly statuses: number | undefined;
  readonly graph: boolean;
}

/** H27: runs that ended before a moment, at most so many, locked. Parameters in that order, the shape's before the limit. */
export function lockEnded({ runs }: Tables, { statuses, graph }: PruneShape): string {
  const listed = statuses === 0 ? "''" : Array.from({ length: statuses ?? 0 }, () => "?").join(", ");
  return `
SELECT n FROM ${runs}
WHERE ended_at < ? AND status IN ${ended}${statuses === undefined ? "" : ` AND status IN (${listed})`}${
    graph ? " AND graph_key = ?" : ""
  }
ORDER BY ended_at, n
LIMIT ?
FOR UPDATE SKIP LOCKED`;
}

/** Runs by number, and all that belongs to them alone. What they left to their threads stays. */
export function deleteRuns({ runs, journal, labels, notes, blobRefs }: Tables): readonly string[] {
  const given = "JSON_TABLE(?, '$[*]' COLUMNS (n BIGINT PATH '$')) AS given";
  const belonging = [journal, labels, notes, blobRefs].map(
    (table) => `DELETE part FROM ${given} STRAIGHT_JOIN ${table} AS part ON part.run = given.n`,
  );
  return [...belonging, `DELETE r FROM ${given} STRAIGHT_JOIN ${runs} AS r ON r.n = given.n`];
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
