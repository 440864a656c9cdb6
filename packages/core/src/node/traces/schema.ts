/** Tables of a trace file. Deleting a run deletes what belongs to it. */
export const schemaVersion = 4;

export const schema = `
CREATE TABLE IF NOT EXISTS runs (
  run_id TEXT PRIMARY KEY,
  graph TEXT NOT NULL,
  status TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  dropped INTEGER NOT NULL,
  trace_id TEXT,
  labels TEXT,
  thread TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS runs_by_start ON runs (started_at);
CREATE TABLE IF NOT EXISTS invocations (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  path TEXT NOT NULL,
  node TEXT NOT NULL,
  kind TEXT NOT NULL,
  seq INTEGER NOT NULL,
  status TEXT NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  attempts INTEGER NOT NULL,
  yields INTEGER NOT NULL,
  upstream TEXT NOT NULL,
  because TEXT,
  at TEXT,
  input TEXT,
  output TEXT,
  error TEXT,
  cached INTEGER NOT NULL DEFAULT 0,
  UNIQUE (run_id, path)
) STRICT;
CREATE TABLE IF NOT EXISTS attempts (
  run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  path TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  error TEXT,
  retry_in_ms INTEGER,
  PRIMARY KEY (run_id, path, attempt)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS yields (
  run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  path TEXT NOT NULL,
  item INTEGER NOT NULL,
  at INTEGER NOT NULL,
  output TEXT,
  PRIMARY KEY (run_id, path, item)
) STRICT, WITHOUT ROWID;
`;

/** What files of that version lack, which have the tables already; with what those of later ones do. */
export const upgrades: Readonly<Record<number, string>> = {
  1: `
ALTER TABLE runs ADD COLUMN trace_id TEXT;
ALTER TABLE runs ADD COLUMN labels TEXT;
`,
  2: `
ALTER TABLE invocations ADD COLUMN cached INTEGER NOT NULL DEFAULT 0;
`,
  3: `
ALTER TABLE runs ADD COLUMN thread TEXT;
`,
};

/** A run that another process goes on with keeps the start that the first one wrote. */
export const putRun = `
INSERT INTO runs (run_id, graph, status, started_at, ended_at, dropped, trace_id, labels, thread)
VALUES ($runId, $graph, $status, $startedAt, $endedAt, $dropped, $traceId, $labels, $thread)
ON CONFLICT (run_id) DO UPDATE SET status = excluded.status, ended_at = excluded.ended_at, dropped = max(runs.dropped, excluded.dropped)`;

export const putInvocation = `
INSERT INTO invocations (run_id, path, node, kind, seq, status, started_at, ended_at, attempts, yields, upstream, because,
  at, input, output, error, cached)
VALUES ($runId, $path, $node, $kind, $seq, $status, $startedAt, $endedAt, $attempts, $yields, $upstream, $because,
  $at, $input, $output, $error, $cached)
ON CONFLICT (run_id, path) DO UPDATE SET seq = excluded.seq, status = excluded.status,
  started_at = coalesce(invocations.started_at, excluded.started_at), ended_at = excluded.ended_at,
  attempts = excluded.attempts, yields = excluded.yields, because = excluded.because, at = excluded.at,
  upstream = CASE WHEN excluded.upstream = '[]' THEN invocations.upstream ELSE excluded.upstream END,
  input = coalesce(excluded.input, invocations.input), output = excluded.output, error = excluded.error,
  cached = excluded.cached`;

export const putAttempt = `
INSERT INTO attempts (run_id, path, attempt, started_at, ended_at, error, retry_in_ms)
VALUES ($runId, $path, $attempt, $startedAt, $endedAt, $error, $retryInMs)
ON CONFLICT (run_id, path, attempt) DO UPDATE SET started_at = excluded.started_at, ended_at = excluded.ended_at,
  error = excluded.error, retry_in_ms = excluded.retry_in_ms`;

export const putYield = `
INSERT INTO yields (run_id, path, item, at, output) VALUES ($runId, $path, $index, $at, $output)
ON CONFLICT (run_id, path, item) DO NOTHING`;

export const forgetOldRuns = `
DELETE FROM runs WHERE run_id IN (SELECT run_id FROM runs ORDER BY started_at DESC LIMIT -1 OFFSET ?)`;
