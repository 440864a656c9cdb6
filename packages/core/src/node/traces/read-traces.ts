import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Labels } from "../../model/tags.ts";
import type { Trace, TraceAttempt, TraceError, TraceInvocation, TraceRun, TraceYield } from "../../ports/trace.ts";
import { schemaVersion } from "./schema.ts";
import { tracesTooNew } from "./sqlite-traces.ts";

type Row = Readonly<Record<string, unknown>>;

/**
 * The trace of one run from a file that `sqliteTraces` writes, also while it is being written; undefined when the file or
 * the run in it is missing.
 */
export function readTrace(file: string, runId: string): Trace | undefined {
  return reading(file, (database) => {
    const all = (table: string, order: string): Row[] =>
      database.prepare(`SELECT * FROM ${table} WHERE run_id = ? ORDER BY ${order}`).all(runId);
    const [run] = all("runs", "run_id");
    if (run === undefined) return undefined;
    return {
      run: runOf(run),
      invocations: all("invocations", "id").map(invocationOf),
      attempts: all("attempts", "path, attempt").map(attemptOf),
      yields: all("yields", "path, item").map(yieldOf),
    };
  });
}

/** The runs that are traced in the file, newest first. */
export function listTraces(file: string): TraceRun[] {
  const read = (database: DatabaseSync): TraceRun[] =>
    (database.prepare("SELECT * FROM runs ORDER BY started_at DESC, run_id DESC").all() as Row[]).map(runOf);
  return reading(file, read) ?? [];
}

function reading<T>(file: string, read: (database: DatabaseSync) => T): T | undefined {
  if (!existsSync(file)) return undefined;
  const database = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
  try {
    const { user_version: found } = database.prepare("PRAGMA user_version").get() as { user_version: number };
    if (found > schemaVersion) throw tracesTooNew(file, found);
    return found === 0 ? undefined : read(database);
  } finally {
    database.close();
  }
}

function runOf(row: Row): TraceRun {
  const { run_id: runId, graph, status, started_at: startedAt, ended_at: endedAt, dropped } = row;
  // Files of earlier versions have no columns for these.
  const { trace_id: traceId = null, labels = null, thread = null } = row;
  const marks = { traceId, labels: labels === null ? null : (JSON.parse(labels as string) as Labels), thread };
  return { type: "run", runId, graph, status, startedAt, endedAt, dropped, ...marks } as TraceRun;
}

function invocationOf(row: Row): TraceInvocation {
  const { id: _, run_id: runId, started_at: startedAt, ended_at: endedAt, upstream, error, cached, ...same } = row;
  return {
    type: "invocation",
    runId,
    ...same,
    startedAt,
    endedAt,
    upstream: JSON.parse(upstream as string) as string[],
    // Files of versions 1 and 2 have no column for it.
    cached: cached === 1,
    error: errorOf(error),
  } as unknown as TraceInvocation;
}

function attemptOf(row: Row): TraceAttempt {
  const { run_id: runId, path, attempt, started_at: startedAt, ended_at: endedAt, retry_in_ms: retryInMs, error } = row;
  return {
    type: "attempt",
    runId,
    path,
    attempt,
    startedAt,
    endedAt,
    error: errorOf(error),
    retryInMs,
  } as TraceAttempt;
}

function yieldOf({ run_id: runId, path, item: index, at, output }: Row): TraceYield {
  return { type: "yield", runId, path, index, at, output } as TraceYield;
}

function errorOf(stored: unknown): TraceError | null {
  return stored === null ? null : (JSON.parse(stored as string) as TraceError);
}
