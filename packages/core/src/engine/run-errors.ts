import { errorOf, type MillraceError } from "../base/error.ts";
import type { RunRow } from "../ports/backend.ts";

export function runExists(runId: string): MillraceError {
  return errorOf("RunExists", { runId });
}

export function runNotFound(runId: string, where: string): MillraceError {
  return errorOf("RunNotFound", { runId, where });
}

export function runElsewhere(runId: string): MillraceError {
  return errorOf("RunElsewhere", { runId });
}

export function runEnded(row: RunRow): MillraceError {
  return errorOf("RunEnded", { runId: row.id, status: row.status });
}

export function noBackend(what: string): MillraceError {
  return errorOf("NoBackend", { what });
}

export function engineClosed(): MillraceError {
  return errorOf("EngineClosed", {});
}
