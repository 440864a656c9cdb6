import type { RestoredRun } from "@millrace/core";
import type { RestoreCalls, ServerQueries } from "@millrace/core/adapter";

import type { Client, Owned } from "../database.ts";
import { isDuplicate } from "../failure.ts";
import { bufferOf, hexKeyOf, hexLabelKeyOf, keyOf } from "../keys.ts";
import type { Statements } from "../sql/statements.ts";
import { toCarried, type StoredCarried } from "./reads.ts";

/**
 * Many runs of one thread may be put back at once, each of them its active one until all is there. Transactions that wait for
 * one unique key that another gives up get in each other's way all at once (InnoDB then ends all but one), so they come one
 * after the other.
 */
export const restoring: ServerQueries<Owned>["restoring"] = ({ database }, thread, work) => {
  const lock = thread === null ? undefined : `restore:${hexKeyOf(thread).slice(0, 24)}`;
  return database.together((client) => work(within(client, database.statements)), lock);
};

function within(client: Client, statements: Statements): RestoreCalls {
  return {
    insertRun: (run, endedAt) => insertRun(client, statements, run, endedAt),
    async insertCarried(thread, rows) {
      for (const { n, runId, whole, bytes } of rows) {
        const values = [keyOf(thread), n, thread, runId, whole ? 1 : 0, bufferOf(bytes)];
        await client.execute(statements.restoreCarried, values);
      }
    },
    async findCarried(thread, numbers) {
      const values = [JSON.stringify(numbers), keyOf(thread)];
      return (await client.execute<StoredCarried>(statements.selectCarriedRows, values)).rows.map(toCarried);
    },
    async insertJournal(run, rows) {
      for (const { firstSeq, count, chain, bytes } of rows) {
        const values = [run, firstSeq, count, chain, bytes.byteLength, bufferOf(bytes)];
        await client.execute(statements.restoreJournal, values);
      }
    },
    async insertNotes(run, notes) {
      for (const { kind, key, bytes, by, at, handled } of notes) {
        const values = [run, kind, key, keyOf(key), bufferOf(bytes), by, at, handled ? 1 : 0];
        await client.execute(statements.restoreNote, values);
      }
    },
    async settle(run, endedAt) {
      await client.execute(statements.settleRestored, [endedAt, run]);
      await client.execute(statements.insertHint, []);
    },
  };
}

async function insertRun(
  client: Client,
  statements: Statements,
  { row, notes, blobs }: RestoredRun,
  endedAt: number | null,
): Promise<number | undefined> {
  const labels = Object.entries(row.labels ?? {});
  try {
    const { made } = await client.execute(statements.restoreRun, [
      row.id,
      keyOf(row.id),
      row.graph,
      keyOf(row.graph),
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
      row.thread === null ? null : keyOf(row.thread),
      row.carriedUpTo,
      notes.filter(({ handled }) => !handled).length,
      row.updatedAt,
      row.lastSeq,
    ]);
    if (labels.length > 0) {
      await client.execute(statements.restoreLabels, [made, JSON.stringify(labels.map(hexLabelKeyOf))]);
    }
    if (blobs.length > 0) await client.execute(statements.restoreBlobRefs, [made, JSON.stringify(blobs.map(hexKeyOf))]);
    return made;
  } catch (error) {
    if (isDuplicate(error)) return undefined;
    throw error;
  }
}
