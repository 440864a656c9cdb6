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
