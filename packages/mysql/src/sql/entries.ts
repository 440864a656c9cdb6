import type { Tables } from "./tables.ts";

/** Milliseconds since 1970 by the server's clock, the same throughout a statement. */
const now = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)";

/** Of what is called `e`. */
const columns = `e.place, e.bytes, e.created_at AS createdAt, e.updated_at AS updatedAt, e.expires_at AS expiresAt,
  e.refresh_ms AS refreshMs`;

const isLive = `(expires_at IS NULL OR expires_at > ${now})`;

export function selectEntry({ entries }: Tables): string {
  return `
SELECT ${columns} FROM ${entries} AS e WHERE place = ? AND ${isLive}`;
}

/**
 * Between two places: at most so many, and no more bytes than given unless the first alone has more. Which these are is decided by
 * their sizes; bytes are read of no other row.
 */
export function selectEntries({ entries }: Tables): string {
  return `
SELECT ${columns}
FROM (
  SELECT page.place, SUM(page.size) OVER (ORDER BY page.place) - page.size AS preceding
  FROM (
    SELECT place, size FROM ${entries}
    WHERE place > ? AND place < ? AND ${isLive}
    ORDER BY place
    LIMIT ?) AS page) AS page
JOIN ${entries} AS e ON e.place = page.place
WHERE page.preceding < ?
ORDER BY e.place`;
}

/**
 * KV3: what had expired begins anew; columns are set in this order, each seeing those before it. Values: place, bytes, their length,
 * how long it lives, and again when it is touched.
 */
export function putEntry({ entries }: Tables): string {
  return `
INSERT INTO ${entries} (place, bytes, size, created_at, updated_at, expires_at, refresh_ms)
VALUES (?, ?, ?, ${now}, ${now}, ${now} + ?, ?)
ON DUPLICATE KEY UPDATE
  bytes = VALUES(bytes),
  size = VALUES(size),
  created_at = IF(expires_at <= VALUES(updated_at), VALUES(created_at), created_at),
  updated_at = VALUES(updated_at),
  expires_at = VALUES(expires_at),
  refresh_ms = VALUES(refresh_ms)`;
}

export function touchEntry({ entries }: Tables): string {
  return `
UPDATE ${entries} SET expires_at = ${now} + refresh_ms WHERE place = ? AND refresh_ms IS NOT NULL AND ${isLive}`;
}

export function deleteEntry({ entries }: Tables): string {
  return `
DELETE FROM ${entries} WHERE place = ?`;
}

export function deleteExpiredEntries({ entries }: Tables): string {
  return `
DELETE FROM ${entries} WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ?`;
}
