/** Threads as they are stored, and the runs in them. */
import { MillraceError } from "../base/error.ts";
import { endedStatuses, type Backend, type RunRow } from "../ports/backend.ts";
import type { Clock } from "../ports/clock.ts";
import type { Cells, DeleteThreadOptions, ListFilter } from "./api.ts";
import { checkDeleteThreadOptions, checkListFilter, checkThread } from "./options.ts";
import { PastThreads } from "./past-threads.ts";
import { threadBusy } from "./run-errors.ts";

export class StoredThreads {
  readonly #clock: Clock;
  readonly #past: PastThreads = new PastThreads();
  readonly #backendFor: (what: string) => Backend;

  /** `backendFor` throws when there is none for what is wanted. */
  constructor(clock: Clock, backendFor: (what: string) => Backend) {
    this.#clock = clock;
    this.#backendFor = backendFor;
  }

  async list(filter: ListFilter): Promise<RunRow[]> {
    const backend = this.#backendFor("list");
    checkListFilter(filter);
    return backend.list({ limit: 100, ...filter });
  }

  async carried(thread: string, upTo: number | undefined): Promise<Cells> {
    const backend = this.#backendFor("carried");
    return this.#past.read(backend, checkThread(thread), upTo);
  }

  async deleteThread(
    thread: string,
    options: DeleteThreadOptions,
    cancel: (runId: string) => Promise<unknown>,
  ): Promise<number> {
    const backend = this.#backendFor("deleteThread");
    checkDeleteThreadOptions(options);
    return deleteThread(backend, checkThread(thread), this.#clock, options.cancel === true ? cancel : null);
  }
}

/** B11 */
const portion = 500;
/** The row that names a blob may be on its way. */
const youngBlobMs = 3_600_000;

/**
 * Deletes all runs of a thread, the oldest first, and with the last of them what it carries. Whoever dies in between has deleted the
 * oldest ones; said again it goes on. How many they were.
 *
 * @throws MillraceError `ThreadBusy`
 */
async function deleteThread(
  backend: Backend,
  thread: string,
  clock: Clock,
  cancel: ((runId: string) => Promise<unknown>) | null,
): Promise<number> {
  const newest = await newestOf(backend, thread);
  if (newest !== undefined && isOpen(newest)) {
    if (cancel === null) throw threadBusy(thread, newest);
    await cancelled(newest.id, cancel);
  }
  let deleted = 0;
  for (;;) {
    const { runs } = await backend.prune({
      thread,
      endedBefore: Number.MAX_SAFE_INTEGER,
      limit: portion,
      blobsBefore: clock.now() - youngBlobMs,
    });
    deleted += runs;
    if (runs === portion) continue;
    // Somebody began a run meanwhile.
    const left = await newestOf(backend, thread);
    if (left === undefined) return deleted;
    if (isOpen(left)) throw threadBusy(thread, left);
  }
}

/** It may have ended by itself meanwhile, or somebody else may have deleted it: that is as well. */
async function cancelled(runId: string, cancel: (runId: string) => Promise<unknown>): Promise<void> {
  try {
    await cancel(runId);
  } catch (error) {
    if (!(error instanceof MillraceError) || !["RunEnded", "RunNotFound"].includes(error.code)) throw error;
  }
}

function isOpen({ status }: RunRow): boolean {
  return !endedStatuses.has(status);
}

async function newestOf(backend: Backend, thread: string): Promise<RunRow | undefined> {
  return (await backend.list({ thread, limit: 1 }))[0];
}
