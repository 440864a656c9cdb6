import type { Tables } from "./tables.ts";

const table = "ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
const word = "CHARACTER SET ascii COLLATE ascii_bin";

/**
 * Version 1, a statement each; they may be begun anew after any of them, since MySQL keeps no transaction over a change of the
 * schema. Moments of the journal are the engine's own, milliseconds since 1970; only leases are told by the server's clock.
 *
 * Columns named `…_key` hold the SHA-256 of a text (`keyOf`): every text is told from every other, whatever its length, case,
 * accents and spaces at its end. A plain append changes no column of `runs` that an index has.
 */
export function schema1(tables: Tables): readonly string[] {
  return [...owners(tables), ...runs(tables), ...inbox(tables), ...blobs(tables)];
}

/** `sessions` knows the connections of an owner, to end them by when it is dead (H3). */
function owners({ owners: owner, sessions, hints }: Tables): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${owner} (
  n BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key BINARY(32) NOT NULL,
  lease_until DATETIME(6) NOT NULL,
  opened_at DATETIME(6) NOT NULL,
  KEY owners_name (name_key),
  KEY owners_lease (lease_until)
) ${table}`,
    `CREATE TABLE IF NOT EXISTS ${sessions} (
  owner_n BIGINT NOT NULL,
  connection_id BIGINT NOT NULL,
  PRIMARY KEY (owner_n, connection_id)
) ${table}`,
    `CREATE TABLE IF NOT EXISTS ${hints} (
  n BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  owner_n BIGINT
) ${table}`,
  ];
}

/**
 * `owner_n` tells one bearer of an owner's name from the next. `unhandled` counts the run's notes that nobody handled: the
 * row alone decides whether it may come to rest (B9). `claim` is the mark of the call that took it last. `active_key` makes a
 * run the only one of its thread that has not ended (B10). `size` is the length of `bytes`, to be known without reading them.
 */
function runs({ runs: run, labels, journal }: Tables): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${run} (
  n BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  id TEXT NOT NULL,
  id_key BINARY(32) NOT NULL,
  graph TEXT NOT NULL,
  graph_key BINARY(32) NOT NULL,
  fingerprint TEXT NOT NULL,
  status VARCHAR(16) ${word} NOT NULL,
  owner TEXT,
  owner_n BIGINT,
  epoch BIGINT NOT NULL,
  claim CHAR(36) ${word},
  claimed_at BIGINT NOT NULL,
  claimed_seq BIGINT NOT NULL,
  hold_until BIGINT NOT NULL DEFAULT 0,
  attempts INT NOT NULL DEFAULT 0,
  last_seq BIGINT NOT NULL,
  chain BIGINT NOT NULL,
  unhandled INT NOT NULL DEFAULT 0,
  wake_at BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  ended_at BIGINT,
  trace_id TEXT,
  labels MEDIUMTEXT,
  thread TEXT,
  thread_key BINARY(32),
  active_key BINARY(32) AS (IF(ended_at IS NULL, thread_key, NULL)) STORED,
  carried_up_to BIGINT,
  snapshot_seq BIGINT NOT NULL DEFAULT 0,
  UNIQUE KEY runs_id (id_key),
  UNIQUE KEY runs_active (active_key),
  KEY runs_created (created_at, n),
  KEY runs_status (status, created_at, n),
  KEY runs_due (status, wake_at),
  KEY runs_graph (graph_key, created_at, n),
  KEY runs_thread (thread_key, created_at, n),
  KEY runs_owner (owner_n, status, created_at, n),
  KEY runs_arrivals (owner_n, unhandled),
  KEY runs_ended (ended_at)
) ${table}`,
    `CREATE TABLE IF NOT EXISTS ${labels} (
  label_key BINARY(32) NOT NULL,
  run BIGINT NOT NULL,
  PRIMARY KEY (label_key, run),
  KEY labels_run (run)
) ${table}`,
    `CREATE TABLE IF NOT EXISTS ${journal} (
  run BIGINT NOT NULL,
  first_seq BIGINT NOT NULL,
  count BIGINT NOT NULL,
  chain BIGINT NOT NULL,
  size BIGINT NOT NULL,
  bytes LONGBLOB NOT NULL,
  PRIMARY KEY (run, first_seq)
) ${table}`,
  ];
}

function inbox({ notes, carried }: Tables): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${notes} (
  n BIGINT NOT NULL AUTO_INCREMENT,
  run BIGINT NOT NULL,
  kind VARCHAR(16) ${word} NOT NULL,
  name MEDIUMTEXT NOT NULL,
  name_key BINARY(32) NOT NULL,
  bytes LONGBLOB NOT NULL,
  author TEXT,
  at BIGINT NOT NULL,
  handled TINYINT NOT NULL DEFAULT 0,
  PRIMARY KEY (run, kind, name_key),
  UNIQUE KEY notes_n (n),
  KEY notes_unhandled (run, handled, n)
) ${table}`,
    `CREATE TABLE IF NOT EXISTS ${carried} (
  thread_key BINARY(32) NOT NULL,
  n BIGINT NOT NULL,
  thread TEXT NOT NULL,
  run_id TEXT NOT NULL,
  whole TINYINT NOT NULL,
  bytes LONGBLOB NOT NULL,
  PRIMARY KEY (thread_key, n)
) ${table}`,
  ];
}

/** A blob lies in parts, so that no statement is larger than the server takes; the first is stored last. */
function blobs({ blobs: blob, blobRefs }: Tables): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${blob} (
  hash_key BINARY(32) NOT NULL,
  part INT NOT NULL,
  parts INT NOT NULL,
  hash TEXT NOT NULL,
  stored_at BIGINT NOT NULL,
  bytes LONGBLOB NOT NULL,
  PRIMARY KEY (hash_key, part),
  KEY blobs_stored (stored_at)
) ${table}`,
    `CREATE TABLE IF NOT EXISTS ${blobRefs} (
  hash_key BINARY(32) NOT NULL,
  run BIGINT NOT NULL,
  PRIMARY KEY (hash_key, run),
  KEY blob_refs_run (run)
) ${table}`,
  ];
}
