import { MillraceError } from "../base/error.ts";
import type { RunRow } from "../ports/backend.ts";

export function runExists(runId: string): MillraceError {
  return new MillraceError("RunExists", `there is already a run ${runId}`, {
    hint: "resume it, or start with another id",
  });
}

export function runNotFound(runId: string, where: string): MillraceError {
  return new MillraceError("RunNotFound", `there is no run ${runId} in ${where}`);
}

export function runElsewhere(runId: string): MillraceError {
  return new MillraceError("RunElsewhere", `run ${runId} is running in another engine`, {
    hint: "wait for it, or end that process",
  });
}

export function runEnded(row: RunRow): MillraceError {
  return new MillraceError("RunEnded", `run ${row.id} has ended: it is ${row.status}`);
}

export function noBackend(what: string): MillraceError {
  return new MillraceError("NoBackend", `${what} needs a backend`, {
    hint: "pass one to openEngine, for example memory() or sqlite(path)",
  });
}

export function engineClosed(): MillraceError {
  return new MillraceError("EngineClosed", "the engine is closed");
}
