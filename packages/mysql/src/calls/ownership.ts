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
