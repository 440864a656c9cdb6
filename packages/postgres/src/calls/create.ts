import type { NewRun } from "@millrace/core";
import type { ServerCalls } from "@millrace/core/adapter";

import type { PoolClient } from "pg";

import { bufferOf, texts } from "../array-literal.ts";
import type { Owned } from "../database.ts";
import type { Statement } from "../sql/statements.ts";

type Inserted = Awaited<ReturnType<ServerCalls["insertRun"]>>;

export async function insertRun(owned: Owned, run: NewRun): Promise<Inserted> {
  return run.thread === null || run.thread === undefined ? insertAlone(owned, run) : insertInThread(owned, run);
}

async function insertAlone(owned: Owned, run: NewRun): Promise<Inserted> {
  const { database } = owned;
  const { rows } = await database.once(database.statements.insertRun, valuesOf(owned, run));
  return rows.length > 0 ? { type: "created" } : undefined;
}

/**
 * An insert that waited for the run before to end saw what was carried on as it was when it began to wait; the next statement
 * sees what is there.
 */
async function insertInThread(owned: Owned, run: NewRun): Promise<Inserted> {
  const { database } = owned;
  const { insertRun: insert, setCarriedUpTo, selectNewestInThread } = database.statements;
  return database.together<Inserted>(async (client) => {
    const inserted = await client.query({ ...insert, values: valuesOf(owned, run) });
    if (inserted.rows.length === 0) return { keep: false, result: undefined };
    const { rows } = await client.query<{ carriedUpTo: number }>({ ...setCarriedUpTo, values: [run.id] });
    const last = rows[0]?.carriedUpTo;
    const isLast = run.carriedUpTo === undefined || run.carriedUpTo === last;
    const isKnown = isLast && (await follows(client, selectNewestInThread, run));
    return { keep: isKnown, result: { type: isKnown ? "created" : "moved" } };
  });
}

/** B16 */
async function follows(
  client: PoolClient,
  newestInThread: Statement,
  { id, thread, follows }: NewRun,
): Promise<boolean> {
  if (follows === undefined) return true;
  const { rows } = await client.query<{ id: string }>({ ...newestInThread, values: [thread, id] });
  return (rows[0]?.id ?? null) === follows;
}

function valuesOf({ owner, ownerN }: Owned, run: NewRun): unknown[] {
  const { id, graph, fingerprint, createdAt, traceId = null, thread = null, first, blobs = [] } = run;
  const labels = Object.entries(run.labels ?? {});
  return [
    id,
    graph,
    fingerprint,
    owner,
    ownerN,
    createdAt,
    first.count,
    first.chain,
    traceId,
    labels.length === 0 ? null : JSON.stringify(Object.fromEntries(labels)),
    thread,
    bufferOf(first.bytes),
    texts(labels.map(([key]) => key)),
    texts(labels.map(([, value]) => value)),
    texts(blobs),
  ];
}
