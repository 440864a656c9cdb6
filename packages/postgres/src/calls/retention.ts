import type { BackendStats, PruneRequest, Pruned } from "@millrace/core";

import { texts } from "../array-literal.ts";
import type { Connections } from "../connections.ts";
import { isStorable } from "../text.ts";

/** H27 */
export async function pruneRuns({ database }: Connections, request: PruneRequest): Promise<Pruned> {
  const { endedBefore, statuses, graph = null, limit, blobsBefore } = request;
  const { deleteRuns, deleteBlobs } = database.statements;
  let runs = 0;
  if (limit > 0 && isStorable(graph ?? "")) {
    const values = [endedBefore, statuses === undefined ? null : texts(statuses), graph, limit];
    runs = (await database.query<{ runs: number }>(deleteRuns, values)).rows[0]?.runs ?? 0;
  }
  const { count } = await database.query(deleteBlobs, [blobsBefore]);
  return { runs, blobs: count };
}

export async function readStats({ database }: Connections): Promise<BackendStats> {
  const { rows } = await database.query<BackendStats & Record<string, unknown>>(database.statements.selectStats);
  return rows[0]!;
}
