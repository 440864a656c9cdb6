import type { Tables } from "./tables.ts";

/**
 * Version 3: entries of the store. Places are bytes, compared as such whatever the collation. A process of the version before
 * knows nothing of the table, and touches nothing in it.
 */
export function schema3({ entries }: Tables): string {
  return `
CREATE TABLE ${entries} (
  place bytea NOT NULL CONSTRAINT entries_place PRIMARY KEY,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  expires_at bigint,
  refresh_ms bigint,
  bytes bytea NOT NULL
);
CREATE INDEX entries_expires ON ${entries} (expires_at) WHERE expires_at IS NOT NULL;`;
}
