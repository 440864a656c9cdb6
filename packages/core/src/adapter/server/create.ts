import { errorOf } from "../../base/error.ts";
import type { CreateResult, NewRun } from "../../ports/backend.ts";
import { attempting } from "./attempts.ts";
import type { PatientCalls } from "./calls.ts";
import type { Owner } from "./connections.ts";
import { toRunRow } from "./stored-row.ts";

/** Between the insert that found the thread taken and the look at by whom, that run may have ended. */
const mostTries = 5;

/** B1, B10, H66: creates only. */
export async function createRun(calls: PatientCalls, { ownerN, name }: Owner, run: NewRun): Promise<CreateResult> {
  return attempting(calls, async (wasLost) => {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const inserted = await calls.insertRun(run);
      if (inserted !== undefined) return inserted;
      // H16: it may be this very call that took the id.
      if (wasLost && (await isOurs(calls, ownerN, run))) return { type: "created" };
      const standing = await inTheWay(calls, run);
      if (standing !== undefined) return standing;
    }
    throw errorOf("DatabaseLocked.wait", { backend: name, detail: `thread ${run.thread} changes too often` });
  });
}

async function inTheWay(calls: PatientCalls, { id, thread }: NewRun): Promise<CreateResult | undefined> {
  const same = await calls.findRun(id);
  if (same !== undefined) return { type: "exists", row: toRunRow(same) };
  if (thread === null || thread === undefined) return undefined;
  const active = await calls.findActive(thread);
  return active === undefined ? undefined : { type: "busy", row: toRunRow(active) };
}

async function isOurs(calls: PatientCalls, ownerN: number, { id, createdAt, first }: NewRun): Promise<boolean> {
  const tail = await calls.findTail(id, 1);
  return (
    tail?.ownerN === ownerN && tail.createdAt === createdAt && tail.count === first.count && tail.chain === first.chain
  );
}
