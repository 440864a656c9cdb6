import type { BackendStats, PruneRequest, Pruned } from "@millrace/core";

import type { Client, Owned } from "../database.ts";
import { keyOf } from "../keys.ts";
import type { Statements } from "../sql/statements.ts";
import { limitOf } from "./reads.ts";

/** H27 */
export async function prune(owned: Owned, request: PruneRequest): Promise<Pruned> {
  const { database } = owned;
  const { deleteBlobs, deleteBlobParts } = database.statements;
  const runs = request.limit > 0 ? await pruneRuns(owned, request) : 0;
  const { count } = await database.once(deleteBlobs, [request.blobsBefore]);
  await database.once(deleteBlobParts, [request.blobsBefore]);
  return { runs, blobs: count };
}

async function pruneRuns(
  { database }: Owned,
  { endedBefore, statuses, graph, thread, limit }: PruneRequest,
): Promise<number> {
  const { lockEnded, deleteRuns, deleteCarriedOfNone } = database.statements;
  const shape = { statuses: statuses?.length, graph: graph !== undefined, thread: thread !== undefined };
  const keys = [graph, thread].flatMap((name) => (name === undefined ? [] : [keyOf(name)]));
  const values = [endedBefore, ...(statuses ?? []), ...keys, limitOf(limit)];
  return database.together(async (client) => {
    const { rows } = await client.execute<{ n: number; thread: string | null }>(lockEnded(shape), values);
    const given = JSON.stringify(rows.map(({ n }) => n));
    if (rows.length > 0) for (const text of deleteRuns) await client.execute(text, [given]);
    const threads = new Set(rows.flatMap(({ thread }) => thread ?? []));
    if (threads.size > 0) await trim(client, database.statements, [...threads]);
    if (thread !== undefined) await client.execute(deleteCarriedOfNone, [keyOf(thread), keyOf(thread)]);
    return { keep: true, result: rows.length };
  });
}

async function trim(client: Client, { selectFloors, deleteCarried }: Statements, threads: string[]): Promise<void> {
  const { rows } = await client.execute<{ hex: string; floor: number | null }>(selectFloors, [JSON.stringify(threads)]);
  await client.execute(deleteCarried, [JSON.stringify(rows.map(({ hex, floor }) => [hex, floor ?? 0]))]);
}

export async function stats({ database }: Owned): Promise<BackendStats> {
  const { selectStats, selectStatusCounts, tableNames } = database.statements;
  const { rows } = await database.once<Omit<BackendStats, "runs">>(selectStats, [tableNames]);
  const counts = await database.once<{ status: string; count: number }>(selectStatusCounts);
  return { ...rows[0]!, runs: Object.fromEntries(counts.rows.map(({ status, count }) => [status, count])) };
}
