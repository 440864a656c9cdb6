import type { Labels } from "../../../model/tags.ts";
import type { RunRow } from "../../../ports/backend.ts";
import { selectJournalRow } from "../sql/select-journal-row.ts";
import { selectRun } from "../sql/select-run.ts";
import type { Connection, Row } from "./connection.ts";

/** The statements name their columns as `RunRow` does; labels are JSON. */
export function toRunRow(row: Row): RunRow {
  const { n: _, snapshotSeq, ...columns } = row;
  const run = snapshotSeq === 0 ? columns : { ...columns, snapshotSeq };
  if (columns["labels"] === null) return run as unknown as RunRow;
  return { ...run, labels: JSON.parse(run["labels"] as string) as Labels } as unknown as RunRow;
}

export function findRun(connection: Connection, runId: string): RunRow | undefined {
  const row = connection.get(selectRun, runId);
  return row === undefined ? undefined : toRunRow(row);
}

/** Whether exactly this journal row stands. Its chain speaks for its bytes and everything before them. */
export function hasJournalRow(
  connection: Connection,
  runId: string,
  row: { readonly firstSeq: number; readonly count: number; readonly chain: number },
): boolean {
  const found = connection.get(selectJournalRow, row.firstSeq, runId);
  return found?.["count"] === row.count && found["chain"] === row.chain;
}
