/**
 * Version 3: notes, threads, attempts, due runs and retention.
 *
 * Every claim counted as an attempt before, now only deaths do: what was counted is forgotten.
 *
 * Two triggers speak for processes of the versions before, which know nothing of these tables. One keeps B9: a run that
 * such a process lets come to rest over an unhandled note is queued. The other one forgets what is known about a blob
 * that such a process stores again, because it tells nobody which runs name it: a blob without a row in
 * `millrace_blob_uses` is never deleted, and so are the blobs that were stored before. It also fires when the insert
 * itself comes to nothing; this version inserts only what is missing.
 */
export const schema3 = `
ALTER TABLE millrace_runs ADD COLUMN wake_at INTEGER;
ALTER TABLE millrace_runs ADD COLUMN hold_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE millrace_runs ADD COLUMN claimed_at INTEGER;
ALTER TABLE millrace_runs ADD COLUMN claimed_seq INTEGER;
ALTER TABLE millrace_runs ADD COLUMN thread TEXT;
ALTER TABLE millrace_runs ADD COLUMN carried_up_to INTEGER;
UPDATE millrace_runs SET attempts = 0 WHERE attempts <> 0;
CREATE INDEX millrace_runs_due ON millrace_runs (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX millrace_runs_thread ON millrace_runs (thread, ended_at) WHERE thread IS NOT NULL;
CREATE INDEX millrace_runs_ended ON millrace_runs (ended_at) WHERE ended_at IS NOT NULL;
CREATE TABLE millrace_notes (
  position INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  said_by TEXT,
  at INTEGER NOT NULL,
  handled INTEGER NOT NULL DEFAULT 0,
  bytes BLOB NOT NULL
);
CREATE UNIQUE INDEX millrace_notes_key ON millrace_notes (run, kind, key);
CREATE INDEX millrace_notes_unhandled ON millrace_notes (run) WHERE handled = 0;
CREATE TABLE millrace_carried (
  thread TEXT NOT NULL,
  n INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  whole INTEGER NOT NULL,
  bytes BLOB NOT NULL
);
CREATE UNIQUE INDEX millrace_carried_n ON millrace_carried (thread, n);
CREATE INDEX millrace_carried_whole ON millrace_carried (thread, n) WHERE whole = 1;
CREATE TABLE millrace_blob_refs (
  hash TEXT NOT NULL,
  run INTEGER NOT NULL,
  PRIMARY KEY (hash, run)
) WITHOUT ROWID;
CREATE INDEX millrace_blob_refs_run ON millrace_blob_refs (run);
CREATE TABLE millrace_blob_uses (
  hash TEXT PRIMARY KEY,
  stored_at INTEGER NOT NULL,
  named INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX millrace_blob_uses_unnamed ON millrace_blob_uses (stored_at) WHERE named = 0;
CREATE TRIGGER millrace_no_rest_over_notes AFTER UPDATE OF status ON millrace_runs
WHEN NEW.status = 'interrupted' AND NEW.last_seq > OLD.last_seq
  AND EXISTS (SELECT 1 FROM millrace_notes WHERE run = NEW.n AND handled = 0)
BEGIN
  UPDATE millrace_runs SET status = 'queued', wake_at = NULL WHERE n = NEW.n;
END;
CREATE TRIGGER millrace_blob_uses_unknown BEFORE INSERT ON millrace_blobs
BEGIN
  DELETE FROM millrace_blob_uses WHERE hash = NEW.hash;
END;
`;
