import type { Tables } from "./tables.ts";

/**
 * Version 2: entries of the store. Places are bytes, compared as such whatever the collation; `size` is the length of `bytes`, to be
 * known without reading them. A process of the version before knows nothing of the table, and touches nothing in it.
 */
export function schema2({ entries }: Tables): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${entries} (
  place VARBINARY(1024) NOT NULL PRIMARY KEY,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  expires_at BIGINT,
  refresh_ms BIGINT,
  size BIGINT NOT NULL,
  bytes LONGBLOB NOT NULL,
  KEY entries_expires (expires_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC`,
  ];
}
