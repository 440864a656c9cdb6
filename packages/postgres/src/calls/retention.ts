import type { BackendStats, PruneRequest, Pruned } from "@millrace/core";

import { texts } from "../array-literal.ts";
import type { Owned } from "../database.ts";

/** H27 */
export async function prune({ database }: Owned, request: PruneRequest): Promise<Pruned> {
  const { endedBefore, statuses, graph = null, thread = null, limit, blobsBefore } = request;
  const { deleteRuns, deleteBlobs, deleteCarriedOfNone } = database.statements;
  let runs = 0;
  if (limit > 0) {
    const values = [endedBefore, statuses === undefined ? null : texts(statuses), graph, limit, thread];
    runs = (await database.once<{ runs: number }>(deleteRuns, values)).rows[0]?.runs ?? 0;
  }
  if (thread !== null) await database.once(deleteCarriedOfNone, [thread]);
  const { count } = await database.once(deleteBlobs, [blobsBefore]);
  return { runs, blobs: count };
}

export async function stats({ database }: Owned): Promise<BackendStats> {
  const { rows } = await database.once<BackendStats>(database.statements.selectStats);
  return rows[0]!;
}
