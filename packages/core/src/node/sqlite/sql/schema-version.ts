/** The table that says which migrations a file has seen. It stands before version 1 and never changes. */
export const createSchemaTable: string = `
CREATE TABLE IF NOT EXISTS millrace_schema (
  version INTEGER PRIMARY KEY,
  applied_at INTEGER NOT NULL
)`;

export const hasSchemaTable: string = `
SELECT count(*) AS found FROM sqlite_schema WHERE type = 'table' AND name = 'millrace_schema'`;

export const selectSchemaVersion: string = `
SELECT coalesce(max(version), 0) AS version FROM millrace_schema`;

export const insertSchemaVersion: string = `
INSERT INTO millrace_schema (version, applied_at) VALUES (?, ?)`;
