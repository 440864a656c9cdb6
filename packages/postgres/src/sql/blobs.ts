import type { Tables } from "./tables.ts";

/** Milliseconds since 1970 by the server's clock. */
const now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** No bytes travel for what is there. */
export function touchBlob({ blobs }: Tables): string {
  return `
UPDATE ${blobs} SET stored_at = ${now} WHERE hash = $1`;
}

export function insertBlob({ blobs }: Tables): string {
  return `
INSERT INTO ${blobs} AS blob (hash, bytes, stored_at) VALUES ($1, $2, ${now})
ON CONFLICT (hash) DO UPDATE SET stored_at = excluded.stored_at`;
}

export function selectBlob({ blobs }: Tables): string {
  return `
SELECT bytes FROM ${blobs} WHERE hash = $1`;
}
