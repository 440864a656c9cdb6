import type { AppendResult } from "../../../ports/backend.ts";
import type { ChangingAppend, CommandOf } from "../protocol.ts";
import { advanceRun } from "../sql/advance-run.ts";
import { advanceRunOtherwise, advanceRunStatus } from "../sql/advance-run-status.ts";
import { insertCarried } from "../sql/carried.ts";
import { insertJournalRow } from "../sql/insert-journal-row.ts";
import { handleNote } from "../sql/notes.ts";
import { view } from "./bytes.ts";
import type { Connection, Row } from "./connection.ts";
import { nameBlobs } from "./name-blobs.ts";
import { findRun, hasJournalRow } from "./run-row.ts";
import type { Write } from "./write.ts";

/** B2, for an append that changes more than the journal. Answers undefined for `ok`. */
export function changingAppendWrite(command: CommandOf<"append">, bytes: Uint8Array): Write {
  const { input } = command;
  const { runId, row, blobs = [], carry } = input;
  const rowLength = bytes.byteLength - (carry?.byteLength ?? 0);
  let queued = false;
  return {
    id: command.id,
    byteLength: bytes.byteLength,
    apply(connection): AppendResult | undefined {
      // Before the status: whether the run may come to rest depends on the notes that are left.
      handleNotes(connection, input);
      const run = advance(connection, input);
      if (run === undefined) return { type: "lost", row: findRun(connection, runId) };
      const n = run["n"] as number;
      connection.run(insertJournalRow, n, row.firstSeq, row.count, row.chain, view(bytes, 0, rowLength));
      nameBlobs(connection, n, blobs);
      if (carry !== null) {
        const carried = { whole: carry.whole ? 1 : 0, bytes: view(bytes, rowLength, carry.byteLength) };
        connection.run(insertCarried, { n, ...carried });
      }
      queued = mayRest(input) && findRun(connection, runId)?.status === "queued";
      return undefined;
    },
    isDurable(connection): boolean {
      return hasJournalRow(connection, runId, row);
    },
    hints: () => queued,
  };
}

function handleNotes(connection: Connection, { runId, epoch, row, handled = [] }: ChangingAppend): void {
  for (const { kind, key } of handled) connection.run(handleNote, kind, key, runId, epoch, row.firstSeq - 1);
}

function advance(connection: Connection, append: ChangingAppend): Row | undefined {
  const { runId, epoch, row, at, status, release = false, fingerprint = null, wakeAt = null } = append;
  const expectedSeq = row.firstSeq - 1;
  const lastSeq = expectedSeq + row.count;
  if (status === undefined && fingerprint === null && !release)
    return connection.get(advanceRun, lastSeq, row.chain, at, runId, epoch, expectedSeq);
  const change = { lastSeq, chain: row.chain, at, fingerprint, release: release ? 1 : 0, runId, epoch, expectedSeq };
  return status === undefined
    ? connection.get(advanceRunOtherwise, change)
    : connection.get(advanceRunStatus, { ...change, status, wakeAt });
}

/** One that would rest is queued instead over an unhandled note (B9). */
function mayRest({ status }: ChangingAppend): boolean {
  return status === "interrupted" || status === "queued";
}
