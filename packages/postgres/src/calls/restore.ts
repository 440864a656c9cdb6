import { endedStatuses, type CarriedRow, type RestoredRun, type RestoreResult, type RunRow } from "@millrace/core";
import { errorOf } from "@millrace/core/adapter";
import type { PoolClient } from "pg";

import { bufferOf, byteas, numbers, texts } from "../array-literal.ts";
import type { Connections } from "../connections.ts";
import { isLost } from "../failure.ts";
import { toRunRow, type StoredRow } from "../run-row.ts";
import type { Statements } from "../sql/statements.ts";
import { portions } from "./portions.ts";

/** Between a try that found the thread taken and the look at by whom, that run may have ended. */
const mostTries = 5;

/** B12 */
export async function restoreRun(connections: Connections, run: RestoredRun): Promise<RestoreResult> {
  let wasLost = false;
  return connections.database.attempt(async () => {
    try {
      return await restore(connections, run, wasLost);
    } catch (error) {
      wasLost ||= isLost(error);
      throw error;
    }
  });
}

async function restore(connections: Connections, run: RestoredRun, wasLost: boolean): Promise<RestoreResult> {
  const { database } = connections;
  const { selectRun, selectActiveRun } = database.statements;
  const { id, thread, status } = run.row;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const restored = await put(connections, run);
    if (restored !== undefined) return restored;
    const [standing] = (await database.once<StoredRow>(selectRun, [id])).rows;
    // H16: it may be this very call that put it there.
    if (standing !== undefined)
      return wasLost && isSame(standing, run.row) ? done : { type: "exists", row: toRunRow(standing) };
    const [active] = (await database.once<StoredRow>(selectActiveRun, [thread])).rows;
    if (active === undefined) continue;
    const row = toRunRow(active);
    if (!endedStatuses.has(status)) return { type: "busy", row };
    const beside = await put(connections, run, row);
    if (beside !== undefined) return beside;
  }
  throw errorOf("DatabaseLocked.wait", { backend: database.name, detail: `thread ${thread} changes too often` });
}

const done: RestoreResult = { type: "restored" };

function isSame(standing: StoredRow, row: RunRow): boolean {
  return standing.chain === row.chain && standing.lastSeq === row.lastSeq && standing.createdAt === row.createdAt;
}

/**
 * As a run that has not ended, until all is there: so that meanwhile nobody else is active in its thread, and what that
 * carried on stays as it is. `active`: somebody is, and nothing may be carried on beside that run.
 */
async function put({ database }: Connections, run: RestoredRun, active?: RunRow): Promise<RestoreResult | undefined> {
  const { statements } = database;
  const { endedAt } = run.row;
  return database.together<RestoreResult | undefined>(async (client) => {
    const values = valuesOf(run, active === undefined ? null : endedAt);
    const { rows } = await client.query<{ n: number }>({ ...statements.restoreRun, values });
    const n = rows[0]?.n;
    if (n === undefined) return { keep: false, result: undefined };
    if (active === undefined) await putCarried(client, statements, run);
    const other = await otherCarried(client, statements, run);
    if (other !== undefined) {
      const missing = other.standing === undefined && active !== undefined;
      return { keep: false, result: missing ? { type: "busy", row: active } : { type: "carried", n: other.n } };
    }
    await putParts(client, statements, n, run);
    await client.query({ ...statements.settleRestored, values: [n, endedAt] });
    return { keep: true, result: done };
  });
}

async function putCarried(
  client: PoolClient,
  statements: Statements,
  { row: { thread }, carried }: RestoredRun,
): Promise<void> {
  for (const part of portions(carried)) {
    const values = [
      thread,
      numbers(part.map((each) => each.n)),
      texts(part.map(({ runId }) => runId)),
      numbers(part.map(({ whole }) => whole)),
      byteas(part.map(({ bytes }) => bytes)),
    ];
    await client.query({ ...statements.restoreCarried, values });
  }
}

/** The first row that stands otherwise, or not at all. */
async function otherCarried(
  client: PoolClient,
  statements: Statements,
  { row: { thread }, carried }: RestoredRun,
): Promise<{ readonly n: number; readonly standing: CarriedRow | undefined } | undefined> {
  for (const part of portions(carried)) {
    const values = [thread, numbers(part.map((each) => each.n))];
    const { rows } = await client.query<CarriedRow>({ ...statements.selectCarriedRows, values });
    const standing = new Map(rows.map((row) => [row.n, row]));
    const other = part.find((row) => !isSameCarried(standing.get(row.n), row));
    if (other !== undefined) return { n: other.n, standing: standing.get(other.n) };
  }
  return undefined;
}

async function putParts(
  client: PoolClient,
  statements: Statements,
  n: number,
  { journal, notes }: RestoredRun,
): Promise<void> {
  for (const part of portions(journal)) {
    const values = [
      n,
      numbers(part.map(({ firstSeq }) => firstSeq)),
      numbers(part.map(({ count }) => count)),
      numbers(part.map(({ chain }) => chain)),
      byteas(part.map(({ bytes }) => bytes)),
    ];
    await client.query({ ...statements.restoreJournal, values });
  }
  for (const part of portions(notes)) {
    const values = [
      n,
      texts(part.map(({ kind }) => kind)),
      texts(part.map(({ key }) => key)),
      byteas(part.map(({ bytes }) => bytes)),
      texts(part.map(({ by }) => by)),
      numbers(part.map(({ at }) => at)),
      numbers(part.map(({ handled }) => handled)),
    ];
    await client.query({ ...statements.restoreNotes, values });
  }
}

function isSameCarried(standing: CarriedRow | undefined, { runId, whole, bytes }: CarriedRow): boolean {
  return standing?.runId === runId && standing.whole === whole && bufferOf(standing.bytes).equals(bufferOf(bytes));
}

function valuesOf({ row, notes, blobs }: RestoredRun, endedAt: number | null): unknown[] {
  const labels = Object.entries(row.labels ?? {});
  return [
    row.id,
    row.graph,
    row.fingerprint,
    row.status,
    row.epoch,
    row.attempts,
    row.lastSeq,
    row.chain,
    row.wakeAt,
    row.createdAt,
    row.updatedAt,
    endedAt,
    row.traceId,
    labels.length === 0 ? null : JSON.stringify(row.labels),
    row.thread,
    row.carriedUpTo,
    notes.filter(({ handled }) => !handled).length,
    texts(labels.map(([key]) => key)),
    texts(labels.map(([, value]) => value)),
    texts(blobs),
  ];
}
