/**
 * Version 5: entries of the store. Places are bytes, which SQLite orders as they are. Rows have a number of their own, so that large
 * values lie beside the index and not in it. A process of the version before knows nothing of the table, and touches nothing in it.
 */
export const schema5 = `
CREATE TABLE millrace_entries (
  n INTEGER PRIMARY KEY,
  place BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  refresh_ms INTEGER,
  bytes BLOB NOT NULL
);
CREATE INDEX millrace_entries_expires ON millrace_entries (expires_at) WHERE expires_at IS NOT NULL;
`;
