/**
 * `$1` application_name, `$2` synchronous_commit ("on" does not undo a stronger setting), `$3`–`$5` statement, lock and idle
 * timeouts. Statements rely on `read committed`: a row that changed while they waited for it is looked at again.
 */
export const setUpSession: string = `
WITH set AS MATERIALIZED (
  SELECT
    set_config('application_name', $1, false),
    set_config('synchronous_commit',
      CASE WHEN $2 = 'on' AND current_setting('synchronous_commit') = 'remote_apply' THEN 'remote_apply' ELSE $2 END, false),
    set_config('statement_timeout', $3, false),
    set_config('lock_timeout', $4, false),
    set_config('idle_in_transaction_session_timeout', $5, false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('search_path', 'pg_catalog', false),
    set_config('client_encoding', 'UTF8', false),
    set_config('bytea_output', 'hex', false),
    set_config('jit', 'off', false))
SELECT
  current_setting('server_version') AS "serverVersion",
  current_setting('server_version_num')::integer AS version,
  current_setting('server_encoding') AS encoding,
  current_setting('synchronous_commit') AS "synchronousCommit",
  current_setting('fsync') AS fsync
FROM set`;

/**
 * For the connection that appends, `$1` statement_timeout: its few statements find their rows by index, always, also when they were planned while the
 * tables were empty.
 */
export const setUpAppends: string = `
SELECT
  set_config('statement_timeout', $1, false),
  set_config('plan_cache_mode', 'force_generic_plan', false),
  set_config('enable_seqscan', 'off', false),
  set_config('enable_hashjoin', 'off', false),
  set_config('enable_mergejoin', 'off', false)`;
