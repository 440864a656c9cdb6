/**
 * Version 1. Journal rows lie in the order in which they were committed, not run by run: a commit that holds rows of
 * fifty runs then writes a few pages at the end of the table instead of fifty (2–3 times the appends per second).
 */
export const schema1 = `
CREATE TABLE millrace_runs (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  graph TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status TEXT NOT NULL,
  owner TEXT,
  epoch INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  chain INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  ended_at INTEGER
);
CREATE INDEX millrace_runs_created ON millrace_runs (created_at);
CREATE INDEX millrace_runs_status ON millrace_runs (status, created_at);
CREATE INDEX millrace_runs_owner ON millrace_runs (owner) WHERE owner IS NOT NULL;
CREATE TABLE millrace_journal (
  position INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count > 0),
  chain INTEGER NOT NULL,
  bytes BLOB NOT NULL
);
CREATE UNIQUE INDEX millrace_journal_seq ON millrace_journal (run, first_seq);
CREATE TABLE millrace_blobs (
  hash TEXT PRIMARY KEY,
  bytes BLOB NOT NULL
);
`;
