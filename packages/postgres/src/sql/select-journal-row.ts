import type { Tables } from "./tables.ts";

/** Where the run stands, and what its row that starts at a sequence number is, if there is one. */
export function selectJournalRow({ runs, journal }: Tables): string {
  return `
SELECT r.epoch, r.last_seq AS "lastSeq", r.owner_n AS "ownerN", r.created_at AS "createdAt", j.count, j.chain
FROM ${runs} AS r LEFT JOIN ${journal} AS j ON j.run = r.n AND j.first_seq = $2
WHERE r.id = $1`;
}
