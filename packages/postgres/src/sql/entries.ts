import type { Tables } from "./tables.ts";

/** Milliseconds since 1970 by the server's clock. */
const now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

const columns = `place, bytes, created_at AS "createdAt", updated_at AS "updatedAt", expires_at AS "expiresAt",
  refresh_ms AS "refreshMs"`;

const isLive = `(expires_at IS NULL OR expires_at > ${now})`;

export function selectEntry({ entries }: Tables): string {
  return `
SELECT ${columns} FROM ${entries} WHERE place = $1 AND ${isLive}`;
}

/** Between `$1` and `$2`: at most `$3`, and no more bytes than `$4` unless the first alone has more. */
export function selectEntries({ entries }: Tables): string {
  return `
SELECT place, bytes, "createdAt", "updatedAt", "expiresAt", "refreshMs"
FROM (
  SELECT page.*, sum(octet_length(bytes)) OVER (ORDER BY place) - octet_length(bytes) AS preceding
  FROM (
    SELECT ${columns} FROM ${entries}
    WHERE place > $1 AND place < $2 AND ${isLive}
    ORDER BY place
    LIMIT $3::bigint) AS page) AS page
WHERE preceding < $4::bigint
ORDER BY place`;
}

/** KV3: what had expired begins anew. The clock is read once. `$3`: how long it lives, `$4`: and again when it is touched. */
export function putEntry({ entries }: Tables): string {
  return `
WITH clock AS MATERIALIZED (SELECT ${now} AS now)
INSERT INTO ${entries} AS entry (place, bytes, created_at, updated_at, expires_at, refresh_ms)
SELECT $1::bytea, $2::bytea, now, now, now + $3::bigint, $4::bigint FROM clock
ON CONFLICT (place) DO UPDATE SET
  bytes = excluded.bytes,
  created_at = CASE WHEN entry.expires_at <= excluded.updated_at THEN excluded.created_at ELSE entry.created_at END,
  updated_at = excluded.updated_at,
  expires_at = excluded.expires_at,
  refresh_ms = excluded.refresh_ms`;
}

export function touchEntry({ entries }: Tables): string {
  return `
UPDATE ${entries} SET expires_at = ${now} + refresh_ms WHERE place = $1 AND refresh_ms IS NOT NULL AND ${isLive}`;
}

export function deleteEntry({ entries }: Tables): string {
  return `
DELETE FROM ${entries} WHERE place = $1`;
}

/** What somebody is putting anew at this moment is left to the next call. */
export function deleteExpiredEntries({ entries }: Tables): string {
  return `
DELETE FROM ${entries} WHERE place IN (
  SELECT place FROM ${entries} WHERE expires_at <= ${now} ORDER BY expires_at LIMIT $1::bigint FOR UPDATE SKIP LOCKED)`;
}
