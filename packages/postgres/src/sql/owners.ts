import type { Tables } from "./tables.ts";

/** One at a time opens under a name. Held until the transaction ends. */
export function lockOwnerName({ channel }: Tables): string {
  return `
SELECT pg_advisory_xact_lock(hashtextextended('millrace owner ' || ${channel} || ' ' || $1, 0))`;
}

export function selectLiveOwner({ owners }: Tables): string {
  return `
SELECT n FROM ${owners} WHERE name = $1 AND lease_until > clock_timestamp()`;
}

/** Those of the names `$1` that live. */
export function selectLivingOwners({ owners }: Tables): string {
  return `
SELECT DISTINCT name FROM ${owners} WHERE name = ANY ($1::text[]) AND lease_until > clock_timestamp()`;
}

/** An earlier bearer of the name cannot come back to life beside the new one. */
export function endNamesakes({ owners }: Tables): string {
  return `
UPDATE ${owners} SET lease_until = '-infinity' WHERE name = $1 AND lease_until <= clock_timestamp()`;
}

/** `$2`: milliseconds. The number that comes back tells this bearer of the name from every other. */
export function insertOwner({ owners }: Tables): string {
  return `
INSERT INTO ${owners} (name, lease_until) VALUES ($1, clock_timestamp() + $2::bigint * interval '1 millisecond') RETURNING n`;
}

/** By the server's clock; see `LeaseConnection.renew`. */
export function renewOwner({ owners }: Tables): string {
  return `
UPDATE ${owners} SET lease_until = clock_timestamp() + $2::bigint * interval '1 millisecond'
WHERE n = $1 AND lease_until > '-infinity'`;
}

/** With its runs given up, at no cost of an attempt. */
export function deleteOwner({ owners, runs, channel }: Tables): string {
  return `
WITH released AS (
  UPDATE ${runs} SET owner = NULL, owner_n = NULL, attempts = 0, hold_until = 0 WHERE owner_n = $1),
gone AS (DELETE FROM ${owners} WHERE n = $1 RETURNING n)
SELECT pg_notify(${channel}, '')::text FROM gone`;
}

/** Of owners that died long ago and are named by nothing. */
export function deleteDeadOwners({ owners, runs }: Tables): string {
  return `
DELETE FROM ${owners} AS o
WHERE o.lease_until < clock_timestamp() - interval '1 day'
  AND o.opened_at < clock_timestamp() - interval '1 day'
  AND NOT EXISTS (SELECT FROM ${runs} AS r WHERE r.owner_n = o.n)`;
}

/** Run by the appending connection itself: what it is known by when its owner is dead (H3). */
export function registerBackend({ owners }: Tables): string {
  return `
UPDATE ${owners} AS o SET pid = a.pid, backend_start = a.backend_start
FROM pg_catalog.pg_stat_activity AS a
WHERE a.pid = pg_backend_pid() AND o.n = $1`;
}
