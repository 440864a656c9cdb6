/** In the shape of `Entry`. */
const columns =
  "place, bytes, created_at AS createdAt, updated_at AS updatedAt, expires_at AS expiresAt, refresh_ms AS refreshMs";

const isLive = "(expires_at IS NULL OR expires_at > $now)";

export const selectEntry: string = `
SELECT ${columns} FROM millrace_entries WHERE place = $place AND ${isLive}`;

export const selectEntries: string = `
SELECT ${columns} FROM millrace_entries
WHERE place > $after AND place < $before AND ${isLive}
ORDER BY place
LIMIT $limit`;

/** KV3: what had expired begins anew. */
export const putEntry: string = `
INSERT INTO millrace_entries (place, bytes, created_at, updated_at, expires_at, refresh_ms)
VALUES ($place, $bytes, $now, $now, $expiresAt, $refreshMs)
ON CONFLICT (place) DO UPDATE SET
  bytes = excluded.bytes,
  created_at = CASE WHEN ${isLive} THEN created_at ELSE excluded.created_at END,
  updated_at = excluded.updated_at,
  expires_at = excluded.expires_at,
  refresh_ms = excluded.refresh_ms`;

export const touchEntry: string = `
UPDATE millrace_entries SET expires_at = $now + refresh_ms
WHERE place = $place AND refresh_ms IS NOT NULL AND ${isLive}`;

export const deleteEntry: string = `
DELETE FROM millrace_entries WHERE place = ?`;

/** The time, and how many at most. */
export const deleteExpiredEntries: string = `
DELETE FROM millrace_entries WHERE n IN (
  SELECT n FROM millrace_entries WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
RETURNING n`;
