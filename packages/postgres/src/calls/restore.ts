import type { CarriedRow, RestoredRun } from "@millrace/core";
import type { RestoreCalls, ServerQueries } from "@millrace/core/adapter";
import type { PoolClient } from "pg";

import { byteas, numbers, texts } from "../array-literal.ts";
import type { Owned } from "../database.ts";
import type { Statements } from "../sql/statements.ts";

export const restoring: ServerQueries<Owned>["restoring"] = ({ database }, _thread, work) =>
  database.together((client) => work(within(client, database.statements)));

function within(client: PoolClient, statements: Statements): RestoreCalls {
  return {
    async insertRun(run, endedAt) {
      const { rows } = await client.query<{ n: number }>({ ...statements.restoreRun, values: valuesOf(run, endedAt) });
      return rows[0]?.n;
    },
    async insertCarried(thread, rows) {
      const values = [
        thread,
        numbers(rows.map(({ n }) => n)),
        texts(rows.map(({ runId }) => runId)),
        numbers(rows.map(({ whole }) => whole)),
        byteas(rows.map(({ bytes }) => bytes)),
      ];
      await client.query({ ...statements.restoreCarried, values });
    },
    async findCarried(thread, positions) {
      const values = [thread, numbers(positions)];
      return (await client.query<CarriedRow>({ ...statements.selectCarriedRows, values })).rows;
    },
    async insertJournal(run, rows) {
      const values = [
        run,
        numbers(rows.map(({ firstSeq }) => firstSeq)),
        numbers(rows.map(({ count }) => count)),
        numbers(rows.map(({ chain }) => chain)),
        byteas(rows.map(({ bytes }) => bytes)),
      ];
      await client.query({ ...statements.restoreJournal, values });
    },
    async insertNotes(run, notes) {
      const values = [
        run,
        texts(notes.map(({ kind }) => kind)),
        texts(notes.map(({ key }) => key)),
        byteas(notes.map(({ bytes }) => bytes)),
        texts(notes.map(({ by }) => by)),
        numbers(notes.map(({ at }) => at)),
        numbers(notes.map(({ handled }) => handled)),
      ];
      await client.query({ ...statements.restoreNotes, values });
    },
    async settle(run, endedAt) {
      await client.query({ ...statements.settleRestored, values: [run, endedAt] });
    },
  };
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
