import type { NewRun } from "@millrace/core";
import type { ServerCalls } from "@millrace/core/adapter";

import type { Owned } from "../database.ts";
import { bufferOf, hexKeyOf, hexLabelKeyOf, keyOf } from "../keys.ts";

type Inserted = Awaited<ReturnType<ServerCalls["insertRun"]>>;

export async function insertRun(owned: Owned, run: NewRun): Promise<Inserted> {
  const { database } = owned;
  const values = [...rowOf(owned, run), ...partsOf(run)];
  const { rows } = await database.once<{ readonly result: string }>(database.statements.insertRun, values);
  const result = rows[0]?.result;
  return result === "created" || result === "moved" ? { type: result } : undefined;
}

function rowOf({ owner, ownerN }: Owned, run: NewRun): unknown[] {
  const { id, graph, fingerprint, createdAt, traceId = null, first } = run;
  const fixed = [id, keyOf(id), graph, keyOf(graph), fingerprint, owner, ownerN, createdAt, first.count, first.chain];
  return [...fixed, traceId];
}

function partsOf({ labels, thread, carriedUpTo, follows, blobs = [], first }: NewRun): unknown[] {
  const entries = Object.entries(labels ?? {});
  const inThread: unknown[] =
    thread === null || thread === undefined
      ? [null, null, null, null]
      : [thread, keyOf(thread), carriedUpTo ?? null, followed(follows)];
  return [
    entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries)),
    ...inThread,
    entries.length === 0 ? null : JSON.stringify(entries.map(hexLabelKeyOf)),
    blobs.length === 0 ? null : JSON.stringify(blobs.map(hexKeyOf)),
    bufferOf(first.bytes),
  ];
}

/** Zeros: the thread has no run. */
function followed(follows: NewRun["follows"]): Buffer | null {
  if (follows === undefined) return null;
  return follows === null ? Buffer.alloc(32) : keyOf(follows);
}
