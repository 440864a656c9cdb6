import type { Tables } from "./tables.ts";

/** Milliseconds since 1970 by the server's clock. */
const now = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)";

/** No bytes travel for what is there. Every part is found, also one that is as young already. */
export function touchBlob({ blobs }: Tables): string {
  return `
UPDATE ${blobs} SET stored_at = ${now} WHERE hash_key = ?`;
}

export function insertBlobPart({ blobs }: Tables): string {
  return `
INSERT INTO ${blobs} (hash_key, part, parts, hash, stored_at, bytes) VALUES (?, ?, ?, ?, ${now}, ?)
ON DUPLICATE KEY UPDATE stored_at = VALUES(stored_at)`;
}

export function selectBlob({ blobs }: Tables): string {
  return `
SELECT parts, bytes FROM ${blobs} WHERE hash_key = ? ORDER BY part`;
}
