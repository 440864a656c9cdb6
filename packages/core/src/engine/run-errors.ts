import { errorOf, MillraceError } from "../base/error.ts";
import type { RunRow } from "../ports/backend.ts";

export function runExists(runId: string): MillraceError {
  return errorOf("RunExists", { runId });
}

export function threadBusy(thread: string, { id, status }: RunRow): MillraceError {
  return errorOf("ThreadBusy", { thread, runId: id, status });
}

export function runNotFound(runId: string, where: string): MillraceError {
  return errorOf("RunNotFound", { runId, where });
}

export function runElsewhere(runId: string): MillraceError {
  return errorOf("RunElsewhere", { runId });
}

/** A live engine drives that run; what is to be said to it goes through its inbox. */
export function isElsewhere(error: unknown): boolean {
  return error instanceof MillraceError && error.code === "RunElsewhere";
}

export function runEnded(row: RunRow): MillraceError {
  return errorOf("RunEnded", { runId: row.id, status: row.status });
}

export function isEnded(error: unknown): boolean {
  return error instanceof MillraceError && error.code === "RunEnded";
}

export function noBackend(what: string): MillraceError {
  return errorOf("NoBackend", { what });
}

export function engineClosed(): MillraceError {
  return errorOf("EngineClosed", {});
}
