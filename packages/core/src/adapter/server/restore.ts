import { errorOf } from "../../base/error.ts";
import { endedStatuses, type RestoredRun, type RestoreResult, type RunRow } from "../../ports/backend.ts";
import type { CarriedRow } from "../../ports/thread.ts";
import { attempting } from "./attempts.ts";
import { isEqual } from "./bytes.ts";
import type { PatientCalls, RestoreCalls } from "./calls.ts";
import { portions } from "./portions.ts";
import { toRunRow, type StoredRow } from "./stored-row.ts";

/** Between a try that found the thread taken and the look at by whom, that run may have ended. */
const mostTries = 5;

/** B12 */
export async function restoreRun(calls: PatientCalls, backend: string, run: RestoredRun): Promise<RestoreResult> {
  return attempting(calls, (wasLost) => restore(calls, backend, run, wasLost));
}

async function restore(
  calls: PatientCalls,
  backend: string,
  run: RestoredRun,
  wasLost: boolean,
): Promise<RestoreResult> {
  const { id, thread, status } = run.row;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const restored = await put(calls, run);
    if (restored !== undefined) return restored;
    const standing = await calls.findRun(id);
    // H16: it may be this very call that put it there.
    if (standing !== undefined)
      return wasLost && isSame(standing, run.row) ? done : { type: "exists", row: toRunRow(standing) };
    const active = thread === null ? undefined : await calls.findActive(thread);
    if (active === undefined) continue;
    const row = toRunRow(active);
    if (!endedStatuses.has(status)) return { type: "busy", row };
    const beside = await put(calls, run, row);
    if (beside !== undefined) return beside;
  }
  throw errorOf("DatabaseLocked.wait", { backend, detail: `thread ${thread} changes too often` });
}

const done: RestoreResult = { type: "restored" };

function isSame(standing: StoredRow, row: RunRow): boolean {
  return standing.chain === row.chain && standing.lastSeq === row.lastSeq && standing.createdAt === row.createdAt;
}

/**
 * As a run that has not ended, until all is there: so that meanwhile nobody else is active in its thread, and what that
 * carried on stays as it is. `active`: somebody is, and nothing may be carried on beside that run.
 */
async function put(calls: PatientCalls, run: RestoredRun, active?: RunRow): Promise<RestoreResult | undefined> {
  const { endedAt, thread } = run.row;
  return calls.restoring(thread, async (restore) => {
    const n = await restore.insertRun(run, active === undefined ? null : endedAt);
    if (n === undefined) return { keep: false, result: undefined };
    if (active === undefined) await putCarried(restore, run);
    const other = await otherCarried(restore, run);
    if (other !== undefined) {
      const missing = other.standing === undefined && active !== undefined;
      return { keep: false, result: missing ? { type: "busy", row: active } : { type: "carried", n: other.n } };
    }
    for (const part of portions(run.journal)) await restore.insertJournal(n, part);
    for (const part of portions(run.notes)) await restore.insertNotes(n, part);
    await restore.settle(n, endedAt);
    return { keep: true, result: done };
  });
}

async function putCarried(restore: RestoreCalls, { row: { thread }, carried }: RestoredRun): Promise<void> {
  if (thread === null) return;
  for (const part of portions(carried)) await restore.insertCarried(thread, part);
}

/** The first row that stands otherwise, or not at all. */
async function otherCarried(
  restore: RestoreCalls,
  { row: { thread }, carried }: RestoredRun,
): Promise<{ readonly n: number; readonly standing: CarriedRow | undefined } | undefined> {
  for (const part of portions(carried)) {
    const found =
      thread === null
        ? []
        : await restore.findCarried(
            thread,
            part.map(({ n }) => n),
          );
    const standing = new Map(found.map((row) => [row.n, row]));
    const other = part.find((row) => !isSameCarried(standing.get(row.n), row));
    if (other !== undefined) return { n: other.n, standing: standing.get(other.n) };
  }
  return undefined;
}

function isSameCarried(standing: CarriedRow | undefined, { runId, whole, bytes }: CarriedRow): boolean {
  return standing?.runId === runId && standing.whole === whole && isEqual(standing.bytes, bytes);
}
