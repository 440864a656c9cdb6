import type { Tables } from "./tables.ts";

/**
 * Version 1. Moments of the journal are the engine's own, milliseconds since 1970; only leases are told by the server's
 * clock. Text is compared byte by byte.
 *
 * A plain append changes no column that an index has, and half of each page of `runs` is kept free for it: the new version
 * of the row goes beside the old one, and no index is touched. Hence also no foreign keys: who deletes a run deletes what
 * belongs to it.
 */
export function schema1(tables: Tables): string {
  return [owners, runs, journal, inbox, blobs].map((part) => part(tables)).join("\n");
}

/** `pid` and `backend_start` tell the connection that appends; a row of a dead owner stays a while, to find it by. */
function owners({ owners: table }: Tables): string {
  return `
CREATE TABLE ${table} (
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  lease_until timestamptz NOT NULL,
  pid integer,
  backend_start timestamptz,
  opened_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX owners_name ON ${table} (name);`;
}

/**
 * `owner_n` tells one bearer of an owner's name from the next. `unhandled` counts the run's notes that nobody handled: the
 * row alone decides whether it may come to rest (B9). `claim` is the mark of the call that took it last.
 */
function runs({ runs: table, labels }: Tables): string {
  return `
CREATE TABLE ${table} (
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL CONSTRAINT runs_id UNIQUE,
  graph text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  owner text COLLATE "C",
  owner_n bigint,
  epoch bigint NOT NULL,
  claim text COLLATE "C",
  claimed_at bigint NOT NULL,
  claimed_seq bigint NOT NULL,
  hold_until bigint NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  last_seq bigint NOT NULL,
  chain bigint NOT NULL,
  unhandled integer NOT NULL DEFAULT 0,
  wake_at bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  ended_at bigint,
  trace_id text COLLATE "C",
  labels text COLLATE "C",
  thread text COLLATE "C",
  carried_up_to bigint
) WITH (fillfactor = 50);
CREATE INDEX runs_created ON ${table} (created_at, n);
CREATE INDEX runs_status ON ${table} (status, created_at, n);
CREATE INDEX runs_graph ON ${table} (graph, created_at, n);
CREATE INDEX runs_open ON ${table} (created_at, n) WHERE ended_at IS NULL;
CREATE INDEX runs_ended ON ${table} (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX runs_owner ON ${table} (owner_n) WHERE owner_n IS NOT NULL;
CREATE INDEX runs_arrivals ON ${table} (owner_n) WHERE unhandled > 0;
CREATE INDEX runs_thread ON ${table} (thread, created_at, n) WHERE thread IS NOT NULL;
CREATE UNIQUE INDEX runs_active ON ${table} (thread) WHERE thread IS NOT NULL AND ended_at IS NULL;
CREATE TABLE ${labels} (
  key text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  run bigint NOT NULL,
  PRIMARY KEY (key, value, run)
);
CREATE INDEX labels_run ON ${labels} (run);`;
}

function journal({ journal: table }: Tables): string {
  return `
CREATE TABLE ${table} (
  run bigint NOT NULL,
  first_seq bigint NOT NULL,
  count bigint NOT NULL CHECK (count > 0),
  chain bigint NOT NULL,
  bytes bytea NOT NULL,
  CONSTRAINT journal_seq PRIMARY KEY (run, first_seq)
);`;
}

function inbox({ notes, carried }: Tables): string {
  return `
CREATE TABLE ${notes} (
  n bigint GENERATED ALWAYS AS IDENTITY,
  run bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  bytes bytea NOT NULL,
  by text COLLATE "C",
  at bigint NOT NULL,
  handled boolean NOT NULL DEFAULT false,
  PRIMARY KEY (run, kind, key)
);
CREATE TABLE ${carried} (
  thread text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  whole boolean NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (thread, n)
);`;
}

function blobs({ blobs: table, blobRefs }: Tables): string {
  return `
CREATE TABLE ${table} (
  hash text COLLATE "C" PRIMARY KEY,
  bytes bytea NOT NULL,
  stored_at bigint NOT NULL
);
CREATE TABLE ${blobRefs} (
  hash text COLLATE "C" NOT NULL,
  run bigint NOT NULL,
  PRIMARY KEY (hash, run)
);
CREATE INDEX blob_refs_run ON ${blobRefs} (run);`;
}
