export const countRuns: string = `
SELECT status, count(*) AS runs FROM millrace_runs GROUP BY status`;

export const countOthers: string = `
SELECT
  (SELECT count(*) FROM millrace_notes WHERE handled = 0) AS notes,
  (SELECT count(DISTINCT thread) FROM millrace_carried) AS threads`;

/**
 * A portion of the rows of a table: how many, their bytes, and the key to go on after (null: there are no more). Only the
 * rows' heads are read, but that of every row. The values are a key and a limit.
 */
function weigh(table: string): string {
  return `
SELECT count(*) AS found, coalesce(sum(length(bytes)), 0) AS bytes, max(key) AS last
FROM (SELECT rowid AS key, bytes FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ?)`;
}

export const weighJournal: string = weigh("millrace_journal");
export const weighBlobs: string = weigh("millrace_blobs");
export const weighEntries: string = weigh("millrace_entries");
