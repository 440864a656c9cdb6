import { errorOf } from "@millrace/core/adapter";
import type { CreateResult, NewRun } from "@millrace/core";

import { bufferOf, texts } from "../array-literal.ts";
import type { Connections } from "../connections.ts";
import { isLost } from "../failure.ts";
import { toRunRow, type StoredRow } from "../run-row.ts";

/** Between the insert that found the thread taken and the look at by whom, that run may have ended. */
const mostTries = 5;

/** B1, B10, H66: creates only. */
export async function createRun(connections: Connections, run: NewRun): Promise<CreateResult> {
  let wasLost = false;
  return connections.database.attempt(async () => {
    try {
      return await insert(connections, run, wasLost);
    } catch (error) {
      wasLost ||= isLost(error);
      throw error;
    }
  });
}

async function insert(connections: Connections, run: NewRun, wasLost: boolean): Promise<CreateResult> {
  const { database } = connections;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const inserted = isThreaded(run) ? await insertInThread(connections, run) : await insertAlone(connections, run);
    if (inserted !== undefined) return inserted;
    // H16: it may be this very call that took the id.
    if (wasLost && (await isOurs(connections, run))) return { type: "created" };
    const standing = await inTheWay(connections, run);
    if (standing !== undefined) return standing;
  }
  throw errorOf("DatabaseLocked.wait", { backend: database.name, detail: `thread ${run.thread} changes too often` });
}

function isThreaded({ thread }: NewRun): boolean {
  return thread !== null && thread !== undefined;
}

async function insertAlone(connections: Connections, run: NewRun): Promise<CreateResult | undefined> {
  const { database } = connections;
  const { rows } = await database.once(database.statements.insertRun, valuesOf(connections, run));
  return rows.length > 0 ? { type: "created" } : undefined;
}

/**
 * An insert that waited for the run before to end saw what was carried on as it was when it began to wait; the next statement
 * sees what is there.
 */
async function insertInThread(connections: Connections, run: NewRun): Promise<CreateResult | undefined> {
  const { database } = connections;
  const { insertRun, setCarriedUpTo } = database.statements;
  return database.together(async (client) => {
    const inserted = await client.query({ ...insertRun, values: valuesOf(connections, run) });
    if (inserted.rows.length === 0) return { keep: false, result: undefined };
    const { rows } = await client.query<{ carriedUpTo: number }>({ ...setCarriedUpTo, values: [run.id] });
    const last = rows[0]?.carriedUpTo;
    const isKnown = run.carriedUpTo === undefined || run.carriedUpTo === last;
    return { keep: isKnown, result: { type: isKnown ? "created" : "moved" } };
  });
}

function valuesOf({ owner, ownerN }: Connections, run: NewRun): unknown[] {
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

async function inTheWay({ database }: Connections, { id, thread }: NewRun): Promise<CreateResult | undefined> {
  const { selectRun, selectActiveRun } = database.statements;
  const [same] = (await database.once<StoredRow>(selectRun, [id])).rows;
  if (same !== undefined) return { type: "exists", row: toRunRow(same) };
  if (thread === null || thread === undefined) return undefined;
  const [active] = (await database.once<StoredRow>(selectActiveRun, [thread])).rows;
  return active === undefined ? undefined : { type: "busy", row: toRunRow(active) };
}

interface Tail {
  readonly ownerN: number | null;
  readonly createdAt: number;
  readonly count: number | null;
  readonly chain: number | null;
}

async function isOurs({ database, ownerN }: Connections, { id, createdAt, first }: NewRun): Promise<boolean> {
  const { rows } = await database.once<Tail & Record<string, unknown>>(database.statements.selectJournalRow, [id, 1]);
  const [tail] = rows;
  return (
    tail?.ownerN === ownerN && tail.createdAt === createdAt && tail.count === first.count && tail.chain === first.chain
  );
}
