/** Who else has a thread. */
import { errorOf, MillraceError } from "../base/error.ts";
import type { Engine } from "../engine/api.ts";
import { endedStatuses, type RunRow } from "../ports/backend.ts";

/** By engine and thread: the last update that waits, or is made. It never rejects. */
const lines = new WeakMap<Engine, Map<string, Promise<void>>>();

/** Updates of a thread by one engine go one after the other: the run of each is over at once, and none need be refused for it. */
export async function inLine<T>(engine: Engine, thread: string, work: () => Promise<T>): Promise<T> {
  const line = lines.get(engine) ?? new Map<string, Promise<void>>();
  lines.set(engine, line);
  const own = (line.get(thread) ?? Promise.resolve()).then(work);
  const through = own.then(
    () => undefined,
    () => undefined,
  );
  line.set(thread, through);
  try {
    return await own;
  } finally {
    if (line.get(thread) === through) line.delete(thread);
  }
}

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
