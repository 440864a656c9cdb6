import type { Tables } from "./tables.ts";

/** The table that says which migrations a database has seen. It stands before version 1 and never changes. */
export function createSchemaTable({ schemaVersion }: Tables): string {
  return `
CREATE TABLE IF NOT EXISTS ${schemaVersion} (
  version INT NOT NULL PRIMARY KEY,
  applied_at DATETIME(6) NOT NULL
) ENGINE=InnoDB`;
}

export function insertSchemaVersion({ schemaVersion }: Tables): string {
  return `
INSERT INTO ${schemaVersion} (version, applied_at) VALUES (?, NOW(6))`;
}

export function selectSchemaVersion({ schemaVersion }: Tables): string {
  return `
SELECT COALESCE(MAX(version), 0) AS version FROM ${schemaVersion}`;
}

/**
 * Tables of the prefix with their engines: `?` the beginning of their names, with `_` escaped. Every column has a name of ours:
 * MySQL 8 calls those of `information_schema` by capitals, whatever they were asked for as.
 */
export const selectTables: string = `
SELECT table_name AS name, engine AS engine FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_name LIKE ?`;

export const selectProcedures: string = `
SELECT routine_name AS name FROM information_schema.routines
WHERE routine_schema = DATABASE() AND routine_type = 'PROCEDURE' AND routine_name LIKE ?`;
