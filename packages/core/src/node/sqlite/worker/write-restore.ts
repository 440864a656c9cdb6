import { endedStatuses, type RestoreResult } from "../../../ports/backend.ts";
import type { CommandOf, Restore } from "../protocol.ts";
import { restoreCarried, selectCarriedRow } from "../sql/carried.ts";
import { insertJournalRow } from "../sql/insert-journal-row.ts";
import { insertLabel } from "../sql/insert-label.ts";
import { restoreNote } from "../sql/notes.ts";
import { restoreRun } from "../sql/restore-run.ts";
import { selectActiveInThread } from "../sql/select-active-in-thread.ts";
import { view } from "./bytes.ts";
import type { Connection, Row } from "./connection.ts";
import { nameBlobs } from "./name-blobs.ts";
import { findRun, toRunRow } from "./run-row.ts";
import type { Write } from "./write.ts";

/** B12 */
export function restoreWrite(command: CommandOf<"restore">, bytes: Uint8Array): Write {
  const restore = command.input;
  return {
    id: command.id,
    byteLength: bytes.byteLength,
    apply: (connection): RestoreResult => inTheWay(connection, restore, bytes) ?? put(connection, restore, bytes),
    isDurable(connection, answer): boolean {
      const found = findRun(connection, restore.row.id);
      return (answer as RestoreResult).type === "restored" && found?.chain === restore.row.chain;
    },
    hints: (answer) => (answer as RestoreResult).type === "restored",
  };
}

function inTheWay(connection: Connection, restore: Restore, bytes: Uint8Array): RestoreResult | undefined {
  const { id, thread, status } = restore.row;
  const standing = findRun(connection, id);
  if (standing !== undefined) return { type: "exists", row: standing };
  if (thread === null) return undefined;
  const active = connection.get(selectActiveInThread, thread);
  if (active !== undefined && !endedStatuses.has(status)) return { type: "busy", row: toRunRow(active) };
  let missing = false;
  for (const { row, part } of parts(restore.carried, bytes, carriedAt(restore))) {
    const left = connection.get(selectCarriedRow, thread, row.n);
    if (left === undefined) missing = true;
    else if (!isSame(left, row, part)) return { type: "carried", n: row.n };
  }
  return missing && active !== undefined ? { type: "busy", row: toRunRow(active) } : undefined;
}

function isSame(left: Row, { runId, whole }: Restore["carried"][number], bytes: Uint8Array): boolean {
  return (
    left["runId"] === runId &&
    (left["whole"] === 1) === whole &&
    Buffer.compare(left["bytes"] as Uint8Array, bytes) === 0
  );
}

function put(connection: Connection, restore: Restore, bytes: Uint8Array): RestoreResult {
  const { row, journal, notes, carried, blobs } = restore;
  const labels = Object.entries(row.labels ?? {});
  const { owner: _owner, snapshotSeq: _snapshotSeq, ...columns } = row;
  const json = labels.length === 0 ? null : JSON.stringify(row.labels);
  const n = connection.get(restoreRun, { ...columns, labels: json })?.["n"] as number;
  for (const [key, value] of labels) connection.run(insertLabel, key, value, n);
  for (const { row: each, part } of parts(journal, bytes, 0))
    connection.run(insertJournalRow, n, each.firstSeq, each.count, each.chain, part);
  for (const { row: note, part } of parts(notes, bytes, lengthOf(journal)))
    connection.run(restoreNote, n, note.kind, note.key, part, note.by, note.at, note.handled ? 1 : 0);
  for (const { row: each, part } of parts(carried, bytes, carriedAt(restore))) {
    if (connection.get(selectCarriedRow, row.thread, each.n) !== undefined) continue;
    connection.run(restoreCarried, row.thread, each.n, each.runId, each.whole ? 1 : 0, part);
  }
  nameBlobs(connection, n, blobs);
  return { type: "restored" };
}

function* parts<T extends { readonly byteLength: number }>(
  rows: readonly T[],
  bytes: Uint8Array,
  from: number,
): Iterable<{ readonly row: T; readonly part: Uint8Array }> {
  let offset = from;
  for (const row of rows) {
    yield { row, part: view(bytes, offset, row.byteLength) };
    offset += row.byteLength;
  }
}

function carriedAt({ journal, notes }: Restore): number {
  return lengthOf(journal) + lengthOf(notes);
}

function lengthOf(rows: readonly { readonly byteLength: number }[]): number {
  return rows.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
