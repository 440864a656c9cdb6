/** Who else has a thread. */
import { errorOf, MillraceError } from "../base/error.ts";
import { endedStatuses, type RunRow } from "../ports/backend.ts";

/** Of a call that somebody else is always faster than. */
const mostTries = 5;

/** Somebody was faster: it is decided anew by what the thread came to. */
export async function unlessMoved<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof MillraceError) || error.code !== "ThreadMoved" || tries === mostTries) throw error;
    }
}

/** @throws MillraceError `ThreadBusy` */
export function refuseBusy(thread: string, newest: RunRow | undefined): void {
  if (newest === undefined || endedStatuses.has(newest.status)) return;
  throw errorOf("ThreadBusy", { thread, runId: newest.id, status: newest.status });
}
