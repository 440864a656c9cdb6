import type { Fenced, FenceRequest } from "@millrace/core";

import type { Owned } from "../database.ts";
import { keyOf } from "../keys.ts";

export async function release(
  { database, ownerN }: Owned,
  runId: string,
  epoch: number,
  unbegun: boolean,
): Promise<void> {
  const { releaseRun, insertHint } = database.statements;
  const kept = unbegun ? 1 : 0;
  const { count } = await database.once(releaseRun, [kept, kept, keyOf(runId), epoch, ownerN]);
  if (count > 0) await database.once(insertHint);
}

export async function requeue({ database }: Owned, runId: string, at: number): Promise<boolean> {
  const { rows } = await database.once<{ queued: number }>(database.statements.requeueRun, [keyOf(runId), at]);
  return rows[0]?.queued === 1;
}

export async function fenceAll({ database, ownerN }: Owned, { resume, at }: FenceRequest): Promise<Fenced> {
  const { rows } = await database.once<Fenced>(database.statements.fenceAll, [resume ? 1 : 0, at, ownerN]);
  return { runs: rows[0]?.runs ?? 0, owned: rows[0]?.owned ?? 0 };
}
