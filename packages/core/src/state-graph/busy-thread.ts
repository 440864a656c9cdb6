/** A thread that somebody else is busy with: who can wait is not refused at once. */
import { MillraceError } from "../base/error.ts";
import type { Engine } from "../engine/api.ts";
import { clockOf } from "../engine/clock-of.ts";

/** What somebody else was faster at. */
const others: ReadonlySet<string> = new Set(["ThreadBusy", "ThreadMoved"]);

/**
 * `work`, again whenever the run is over that it was refused for, until `ms` milliseconds have passed. A run is waited for once: one
 * that rests and has not ended keeps the thread.
 *
 * @throws MillraceError `ThreadBusy`, `ThreadMoved`, and what `work` throws
 */
export async function unlessBusy<T>(engine: Engine, thread: string, ms: number, work: () => Promise<T>): Promise<T> {
  const clock = clockOf(engine);
  const until = clock.monotonic() + ms;
  const waited = new Set<string>();
  for (;;)
    try {
      return await work();
    } catch (error) {
      const left = until - clock.monotonic();
      if (left <= 0 || !(error instanceof MillraceError) || !others.has(error.code)) throw error;
      if (error.code === "ThreadMoved") continue;
      const [newest] = await engine.list({ thread, limit: 1 });
      if (newest === undefined) continue;
      if (waited.has(newest.id) || !(await isOver(engine, newest.id, left))) throw error;
      waited.add(newest.id);
    }
}

/** Whether it ends or comes to rest in time. Of a run of another graph, which may not be known here, nobody can say. */
async function isOver(engine: Engine, runId: string, ms: number): Promise<boolean> {
  const late = new AbortController();
  const stop = clockOf(engine).timer(ms, () => late.abort());
  try {
    // The end is all that is wanted, and it is the last.
    for await (const _ of await engine.stream(runId, "output", { signal: late.signal })) continue;
    return true;
  } catch {
    return false;
  } finally {
    stop();
  }
}
