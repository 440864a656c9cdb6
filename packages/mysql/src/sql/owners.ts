import type { Tables } from "./tables.ts";

/** An owner that another bearer of its name replaced: no clock comes back to it. */
const never = "'1000-01-01 00:00:00'";

export function selectLiveOwner({ owners }: Tables): string {
  return `
SELECT n FROM ${owners} WHERE name_key = ? AND lease_until > NOW(6)`;
}

/** Those of the names that live. */
export function selectLivingOwners({ owners }: Tables): string {
  return `
SELECT DISTINCT o.name
FROM JSON_TABLE(?, '$[*]' COLUMNS (hex CHAR(64) PATH '$')) AS given JOIN ${owners} AS o ON o.name_key = UNHEX(given.hex)
WHERE o.lease_until > NOW(6)`;
}

/** An earlier bearer of the name cannot come back to life beside the new one. */
export function endNamesakes({ owners }: Tables): string {
  return `
UPDATE ${owners} SET lease_until = ${never} WHERE name_key = ? AND lease_until <= NOW(6)`;
}

/** The number that it gets tells this bearer of the name from every other. The last value: milliseconds. */
export function insertOwner({ owners }: Tables): string {
  return `
INSERT INTO ${owners} (name, name_key, opened_at, lease_until) VALUES (?, ?, NOW(6), NOW(6) + INTERVAL ? * 1000 MICROSECOND)`;
}

/** By the server's clock; see \`LeaseConnection.renew\`. */
export function renewOwner({ owners }: Tables): string {
  return `
UPDATE ${owners} SET lease_until = NOW(6) + INTERVAL ? * 1000 MICROSECOND WHERE n = ? AND lease_until > ${never}`;
}

/** Its runs are given up, at no cost of an attempt. */
export function releaseRuns({ runs }: Tables): string {
  return `
UPDATE ${runs} SET owner = NULL, owner_n = NULL, attempts = 0, hold_until = 0 WHERE owner_n = ?`;
}

export function deleteOwner({ owners }: Tables): string {
  return `
DELETE FROM ${owners} WHERE n = ?`;
}

/** Of owners that died long ago and are named by nothing. */
export function deleteDeadOwners({ owners, runs }: Tables): string {
  return `
DELETE o FROM ${owners} AS o LEFT JOIN ${runs} AS r ON r.owner_n = o.n
WHERE o.lease_until < NOW(6) - INTERVAL 1 DAY AND o.opened_at < NOW(6) - INTERVAL 1 DAY AND r.n IS NULL`;
}

/** Of owners that are gone. */
export function deleteSessions({ owners, sessions }: Tables): string {
  return `
DELETE s FROM ${sessions} AS s LEFT JOIN ${owners} AS o ON o.n = s.owner_n WHERE o.n IS NULL`;
}

/** What an owner's connection is known by when the owner is dead (H3). */
export function insertSession({ sessions }: Tables): string {
  return `
INSERT INTO ${sessions} (owner_n, connection_id) VALUES (?, CONNECTION_ID())
ON DUPLICATE KEY UPDATE connection_id = CONNECTION_ID()`;
}

/**
 * H3: connections of owners whose leases have lapsed: one that stopped in the middle of a transaction would hold its locks for
 * as long as its machine stands still. A number alone could be somebody else's by now: it counts only while that connection
 * holds the named lock of that owner's connection of that number. \`?\`: the scope of named locks.
 */
export function selectDeadSessions({ owners, sessions }: Tables): string {
  return `
SELECT s.owner_n AS ownerN, s.connection_id AS id
FROM ${owners} AS o JOIN ${sessions} AS s ON s.owner_n = o.n
WHERE o.lease_until <= NOW(6)
  AND IS_USED_LOCK(CONCAT(?, ':', s.owner_n, ':', s.connection_id)) = s.connection_id
  AND s.connection_id <> CONNECTION_ID()`;
}
