import type { Tables } from "./tables.ts";

/** What a server process is asked to end in, milliseconds. */
const patienceMs = 2_000;

/** The beginning of `application_name` of every connection of an owner, before its number. */
export function applicationName(schema: string, ownerN: number): string {
  return `millrace ${schema} ${ownerN}`.slice(-63);
}

/**
 * H3: ends the connections of owners whose leases have lapsed: one that stopped in the middle of a statement would hold its
 * locks for as long as its machine stands still. `pid` alone could be somebody else's by now.
 */
export function terminateDeadOwners({ owners, schema }: Tables): string {
  return `
SELECT count(pg_terminate_backend(a.pid, ${patienceMs}))
FROM ${owners} AS o
JOIN pg_catalog.pg_stat_activity AS a
  ON a.pid = o.pid AND a.backend_start = o.backend_start
  OR a.application_name = right('millrace ' || ${schema.replaceAll('"', "'")} || ' ' || o.n, 63)
WHERE o.lease_until <= clock_timestamp() AND a.pid <> pg_backend_pid() AND a.datname = current_database()
  AND a.usename = current_user`;
}

/** The appending connection that this owner had before (H16). Run by the new one, before it registers itself. */
export function terminateFormerBackend({ owners }: Tables): string {
  return `
SELECT count(pg_terminate_backend(a.pid, ${patienceMs}))
FROM ${owners} AS o
JOIN pg_catalog.pg_stat_activity AS a ON a.pid = o.pid AND a.backend_start = o.backend_start
WHERE o.n = $1 AND a.pid <> pg_backend_pid()`;
}

/** A connection of ours that was lost while it was writing, known by its pid and our name. */
export const terminateBackend: string = `
SELECT count(pg_terminate_backend(a.pid, ${patienceMs}))
FROM pg_catalog.pg_stat_activity AS a
WHERE a.pid = $1 AND a.application_name = $2 AND a.pid <> pg_backend_pid()`;
