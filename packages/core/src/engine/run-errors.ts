import { errorOf, MillraceError } from "../base/error.ts";
import type { Backend, RunRow } from "../ports/backend.ts";

export function runExists(runId: string): MillraceError {
  return errorOf("RunExists", { runId });
}

export function threadBusy(thread: string, { id, status }: RunRow): MillraceError {
  return errorOf("ThreadBusy", { thread, runId: id, status });
}

/** @throws MillraceError `ThreadMoved` when the newest run of the thread is not the one that the caller named */
export async function checkFollows(
  backend: Pick<Backend, "list">,
  { thread, follows }: { readonly thread: string | null; readonly follows?: string | null | undefined },
): Promise<void> {
  if (thread === null || follows === undefined) return;
  const [newest] = await backend.list({ thread, limit: 1 });
  if ((newest?.id ?? null) === follows) return;
  throw errorOf("ThreadMoved", { thread, now: newest?.id ?? "none", expected: follows ?? "none" });
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
