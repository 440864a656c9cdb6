import type { Tables } from "./tables.ts";

/** The table that says which migrations a schema has seen. It stands before version 1 and never changes. */
export function createSchemaTable({ schema, schemaVersion }: Tables): string {
  return `
CREATE SCHEMA IF NOT EXISTS ${schema};
CREATE TABLE IF NOT EXISTS ${schemaVersion} (
  version integer PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
)`;
}

export function hasSchemaTable({ schemaVersion }: Tables): string {
  return `
SELECT to_regclass('${schemaVersion}') IS NOT NULL AS found`;
}

export function selectSchemaVersion({ schemaVersion }: Tables): string {
  return `
SELECT coalesce(max(version), 0) AS version FROM ${schemaVersion}`;
}

export function insertSchemaVersion({ schemaVersion }: Tables): string {
  return `
INSERT INTO ${schemaVersion} (version) VALUES ($1)`;
}

/** One process at a time brings a schema up to date. Held until the transaction ends. */
export function lockSchema({ channel }: Tables): string {
  return `
SELECT pg_advisory_xact_lock(hashtextextended('millrace schema ' || ${channel}, 0))`;
}
