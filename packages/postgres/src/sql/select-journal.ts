import type { Tables } from "./tables.ts";

/**
 * Rows of the run from the one that holds the sequence number `$2`, in order: at most `$3` of them, and no more bytes than
 * `$4` unless the first row alone has more.
 */
export function selectJournal({ runs, journal }: Tables): string {
  return `
SELECT "firstSeq", count, chain, bytes
FROM (
  SELECT page.*, sum(octet_length(bytes)) OVER (ORDER BY "firstSeq") - octet_length(bytes) AS before
  FROM (
    SELECT j.first_seq AS "firstSeq", j.count, j.chain, j.bytes
    FROM ${runs} AS r JOIN ${journal} AS j ON j.run = r.n
    WHERE r.id = $1
      AND j.first_seq >= coalesce(
        (SELECT max(held.first_seq) FROM ${journal} AS held WHERE held.run = r.n AND held.first_seq <= $2::bigint), 0)
      AND j.first_seq + j.count > $2::bigint
    ORDER BY j.first_seq
    LIMIT $3::bigint) AS page) AS page
WHERE before < $4::bigint
ORDER BY "firstSeq"`;
}
