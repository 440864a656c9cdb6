/** Runs and their errors as `--json` prints them. Field names are stable; times are ISO 8601 in UTC (F34). */
import type { ErrorEntry, RunInfo, RunRow } from "@millrace/core";
import { plain } from "../format/json.ts";
import { isoTime } from "../format/time.ts";
import { nodeCounts } from "./node-counts.ts";
import { questionDocument } from "./questions.ts";

type Row = Omit<RunRow, "chain">;

export function rowDocument(row: Row): Record<string, unknown> {
  return {
    id: row.id,
    graph: row.graph,
    status: row.status,
    fingerprint: row.fingerprint,
    epoch: row.epoch,
    records: row.lastSeq,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
    endedAt: row.endedAt === null ? null : isoTime(row.endedAt),
    durationMs: durationOf(row),
    traceId: row.traceId,
    labels: row.labels ?? {},
  };
}

export function runDocument(run: RunInfo): Record<string, unknown> {
  return {
    ...rowDocument(run),
    journalBytes: run.journalBytes,
    ...(run.reason !== undefined && { reason: run.reason }),
    ...(run.forkedFrom !== undefined && { forkedFrom: plain(run.forkedFrom) }),
    input: plain(run.input) ?? null,
    ...(run.status === "completed" && { output: plain(run.output) ?? null }),
    errors: run.errors.map(errorDocument),
    interrupts: run.interrupts.map(questionDocument),
    nodes: nodeCounts(run),
  };
}

export function errorDocument(entry: ErrorEntry): Record<string, unknown> {
  const { node, path, code, type, message, attempts, count, handled, cause, causes, at } = entry;
  return {
    node,
    path,
    code,
    type,
    message,
    attempts,
    count,
    handled,
    ...(cause !== undefined && { cause }),
    ...(causes !== undefined && { causes }),
    ...(at !== undefined && { at }),
  };
}

/** From its creation to its end, or to its last record. */
export function durationOf(row: Row): number {
  return (row.endedAt ?? row.updatedAt) - row.createdAt;
}
