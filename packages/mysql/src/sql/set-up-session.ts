/**
 * What statements rely on, whatever the server's defaults are. `read committed`: what is asked after a lock was waited for is
 * seen as it is then, and no gaps are locked. A commit ends the transaction, and begins no other. The clock is UTC. Lists are
 * aggregated, and results told, whole.
 */
const everywhere = [
  "sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'",
  "time_zone = '+00:00'",
  "autocommit = 1",
  "completion_type = 'NO_CHAIN'",
  "sql_select_limit = 18446744073709551615",
  "sql_safe_updates = 0",
  "sql_big_selects = 1",
  "group_concat_max_len = 16777216",
  "foreign_key_checks = 1",
  "unique_checks = 1",
];

export interface SessionLimits {
  /** Of one statement, seconds. */
  readonly statement: number;
  /** Of a wait for a row, and of a transaction that nobody goes on with, seconds. */
  readonly lock: number;
}

/** MySQL itself limits only reads, in milliseconds, and has no limit for idle transactions. */
export function setUpSession(isMariaDb: boolean, { statement, lock }: SessionLimits): string {
  const limits = isMariaDb
    ? [`max_statement_time = ${statement}`, `idle_transaction_timeout = ${lock}`]
    : [`max_execution_time = ${statement * 1_000}`];
  const all = [...everywhere, `innodb_lock_wait_timeout = ${lock}`, `lock_wait_timeout = ${statement}`, ...limits];
  return `SET ${all.map((setting) => `SESSION ${setting}`).join(", ")}`;
}

/** Of the connection that renews the lease, one statement at a time: what it renewed is there for all, at once. */
export const setUpLease =
  "SET SESSION autocommit = 1, SESSION time_zone = '+00:00', SESSION innodb_lock_wait_timeout = 5, SESSION sql_safe_updates = 0";

export const setIsolation = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE";

/** Settings that a version does not have are left out of the answer. */
export const selectSettings = `
SHOW VARIABLES WHERE Variable_name IN ('version', 'version_comment', 'max_allowed_packet', 'innodb_flush_log_at_trx_commit',
  'innodb_flush_method', 'log_bin', 'sync_binlog', 'binlog_format', 'wsrep_on', 'read_only', 'innodb_read_only')`;

/** Which connection this is, and a named lock that tells it from others that had its number before. */
export const selectConnection = "SELECT CONNECTION_ID() AS id, VERSION() AS version";
