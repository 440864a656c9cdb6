import type { Tables } from "./tables.ts";

/**
 * Rows of the run from the one that holds a sequence number, in order: at most so many, and no more bytes than given unless the
 * first row alone has more. Which these are is decided by their sizes; bytes are read of no other row. Parameters: the run's
 * key, twice the sequence number, the key again, rows, bytes.
 */
export function selectJournal({ runs, journal }: Tables): string {
  return `
SELECT j.first_seq AS firstSeq, j.count, j.chain, j.bytes
FROM (
  SELECT page.run, page.first_seq, SUM(page.size) OVER (ORDER BY page.first_seq) - page.size AS preceding
  FROM (
    SELECT sized.run, sized.first_seq, sized.size
    FROM ${runs} AS r JOIN ${journal} AS sized ON sized.run = r.n
    WHERE r.id_key = ?
      AND sized.first_seq + sized.count > ?
      AND sized.first_seq >= COALESCE((
        SELECT MAX(held.first_seq) FROM ${runs} AS same JOIN ${journal} AS held ON held.run = same.n
        WHERE held.first_seq <= ? AND same.id_key = ?), 0)
    ORDER BY sized.first_seq
    LIMIT ?) AS page) AS page
JOIN ${journal} AS j ON j.run = page.run AND j.first_seq = page.first_seq
WHERE page.preceding < ?
ORDER BY j.first_seq`;
}

/** Where the run stands, and what its row that starts at a sequence number is, if there is one: that number, the run's key. */
export function selectJournalRow({ runs, journal }: Tables): string {
  return `
SELECT r.epoch, r.last_seq AS lastSeq, r.owner_n AS ownerN, r.created_at AS createdAt, j.count, j.chain
FROM ${runs} AS r LEFT JOIN ${journal} AS j ON j.run = r.n AND j.first_seq = ?
WHERE r.id_key = ?`;
}
