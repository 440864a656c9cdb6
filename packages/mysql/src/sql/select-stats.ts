import type { Tables } from "./tables.ts";

/** `?`: the beginning of the tables' names, with `_` escaped. */
export function selectStats({ journal, blobs, entries, carried, notes, owners, schemaVersion }: Tables): string {
  return `
SELECT
  (SELECT COUNT(*) FROM ${journal}) AS journalRows,
  (SELECT COALESCE(SUM(size), 0) FROM ${journal}) AS journalBytes,
  (SELECT COUNT(*) FROM ${blobs} WHERE part = 0) AS blobs,
  (SELECT COALESCE(SUM(LENGTH(bytes)), 0) FROM ${blobs}) AS blobBytes,
  (SELECT COUNT(*) FROM ${entries}) AS entries,
  (SELECT COALESCE(SUM(size), 0) FROM ${entries}) AS entryBytes,
  (SELECT COUNT(*) FROM ${notes} WHERE handled = 0) AS notes,
  (SELECT COUNT(DISTINCT thread_key) FROM ${carried}) AS threads,
  (SELECT COUNT(*) FROM ${owners} WHERE lease_until > NOW(6)) AS owners,
  (SELECT SUM(data_length + index_length) FROM information_schema.tables
   WHERE table_schema = DATABASE() AND table_name LIKE ?) AS bytes,
  (SELECT MAX(version) FROM ${schemaVersion}) AS schemaVersion`;
}

export function selectStatusCounts({ runs }: Tables): string {
  return `
SELECT status, COUNT(*) AS count FROM ${runs} GROUP BY status`;
}
