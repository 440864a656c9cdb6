import type { Fenced, FenceRequest } from "@millrace/core";

import type { Owned } from "../database.ts";

export async function release(
  { database, ownerN }: Owned,
  runId: string,
  epoch: number,
  unbegun: boolean,
): Promise<void> {
  await database.once(database.statements.releaseRun, [runId, epoch, ownerN, unbegun]);
}

export async function requeue({ database }: Owned, runId: string, at: number): Promise<boolean> {
  return (await database.once(database.statements.requeueRun, [runId, at])).count > 0;
}

export async function fenceAll({ database, ownerN }: Owned, { resume, at }: FenceRequest): Promise<Fenced> {
  const { rows } = await database.once<Fenced>(database.statements.fenceAll, [resume, at, ownerN]);
  return { runs: rows[0]?.runs ?? 0, owned: rows[0]?.owned ?? 0 };
}
