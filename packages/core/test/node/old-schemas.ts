/** Databases as earlier versions made them, and what processes of those versions say to a database. */
import { DatabaseSync } from "node:sqlite";

import { schema1 } from "../../src/node/sqlite/sql/schema-1.ts";
import { schema2 } from "../../src/node/sqlite/sql/schema-2.ts";
import { schema3 } from "../../src/node/sqlite/sql/schema-3.ts";
import { schema4 } from "../../src/node/sqlite/sql/schema-4.ts";
import { createSchemaTable } from "../../src/node/sqlite/sql/schema-version.ts";

const schemas = [schema1, schema2, schema3, schema4];

/** A new file of that version, as it was left by a process of that version. */
export function oldDatabase(file: string, version: 1 | 2 | 4): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec(createSchemaTable);
  for (const [i, schema] of schemas.slice(0, version).entries()) {
    database.exec(schema);
    database.prepare("INSERT INTO millrace_schema VALUES (?, 0)").run(i + 1);
  }
  return database;
}

/** The statements of version 2, word for word. */
export const oldStatements = {
  insertRun: `
INSERT INTO millrace_runs
  (id, graph, fingerprint, status, owner, epoch, attempts, last_seq, chain, created_at, updated_at, trace_id, labels)
VALUES ($id, $graph, $fingerprint, 'running', $owner, 1, 0, $lastSeq, $chain, $createdAt, $createdAt, $traceId, $labels)
ON CONFLICT (id) DO NOTHING
RETURNING n`,
  insertJournalRow: `
INSERT INTO millrace_journal (run, first_seq, count, chain, bytes) VALUES (?, ?, ?, ?, ?)`,
  advanceRun: `
UPDATE millrace_runs SET last_seq = ?, chain = ?, updated_at = ?
WHERE id = ? AND epoch = ? AND last_seq = ?
RETURNING n`,
  advanceRunStatus: `
UPDATE millrace_runs SET
  last_seq = $lastSeq,
  chain = $chain,
  updated_at = $at,
  status = coalesce($status, status),
  fingerprint = coalesce($fingerprint, fingerprint),
  owner = CASE WHEN $release THEN NULL ELSE owner END,
  attempts = CASE WHEN $release THEN 0 ELSE attempts END,
  ended_at = CASE
    WHEN $status IS NULL THEN ended_at
    WHEN $status IN ('completed', 'failed', 'cancelled', 'discarded') THEN $at
    ELSE NULL END
WHERE id = $runId AND epoch = $epoch AND last_seq = $expectedSeq
RETURNING n`,
  claimRuns: `
UPDATE millrace_runs SET owner = $owner, epoch = epoch + 1, attempts = attempts + 1, updated_at = $at
WHERE n IN (
  SELECT n FROM millrace_runs
  WHERE status IN (SELECT value FROM json_each($statuses))
    AND (owner IS NULL OR owner IN (SELECT value FROM json_each($deadOwners)))
    AND ($runId IS NULL OR id = $runId)
    AND ($graphs IS NULL OR graph IN (SELECT value FROM json_each($graphs)))
  ORDER BY created_at, n
  LIMIT $limit)
RETURNING n, id, epoch`,
  insertBlob: `
INSERT INTO millrace_blobs (hash, bytes) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING`,
} as const;

/** A run of one record, with a row in the journal, as version 2 creates it. */
export function createOld(database: DatabaseSync, id: string, owner: string | null = null): void {
  const columns = { id, graph: "g", fingerprint: "f", owner, lastSeq: 1, chain: 7, createdAt: 1 };
  const created = database.prepare(oldStatements.insertRun).get({ ...columns, traceId: null, labels: null });
  database.prepare(oldStatements.insertJournalRow).run(Number(created?.["n"]), 1, 1, 7, new Uint8Array([1]));
}

/** An append of version 2 that changes the status; false: it was lost. */
export function appendOld(
  database: DatabaseSync,
  id: string,
  change: { readonly epoch?: number; readonly after: number; readonly status: string; readonly release?: boolean },
): boolean {
  const { epoch = 1, after, status, release = true } = change;
  const row = database.prepare(oldStatements.advanceRunStatus).get({
    lastSeq: after + 1,
    chain: 8,
    at: 2,
    status,
    fingerprint: null,
    release: release ? 1 : 0,
    runId: id,
    epoch,
    expectedSeq: after,
  });
  if (row === undefined) return false;
  database.prepare(oldStatements.insertJournalRow).run(Number(row["n"]), after + 1, 1, 8, new Uint8Array([2]));
  return true;
}
