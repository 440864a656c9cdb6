import type { AppendResult } from "../../../ports/backend.ts";
import type { ChangingAppend, MoreOfAppend } from "../protocol.ts";
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

const nothing: MoreOfAppend = { handled: [], blobs: [], carry: null };

/** B2, for an append that changes more than the journal. Answers undefined for `ok`. */
export function changingAppendWrite(request: ChangingAppend, bytes: Uint8Array): Write {
  const [id, , runId, , firstSeq, count, chain, , status] = request;
  const { blobs, carry } = request[12] ?? nothing;
  const rowLength = bytes.byteLength - (carry?.byteLength ?? 0);
  // One that would rest is queued instead over an unhandled note (B9).
  const mayQueue = status === "interrupted" || status === "queued";
  let queued = false;
  return {
    id,
    byteLength: bytes.byteLength,
    apply(connection): AppendResult | undefined {
      // Before the status: whether the run may come to rest depends on the notes that are left.
      handleNotes(connection, request);
      const run = advance(connection, request);
      if (run === undefined) return { type: "lost", row: findRun(connection, runId) };
      const n = run["n"] as number;
      connection.run(insertJournalRow, n, firstSeq, count, chain, view(bytes, 0, rowLength));
      nameBlobs(connection, n, blobs);
      if (carry !== null) {
        const carried = { whole: carry.whole ? 1 : 0, bytes: view(bytes, rowLength, carry.byteLength) };
        connection.run(insertCarried, { n, ...carried });
      }
      queued = mayQueue && findRun(connection, runId)?.status === "queued";
      return undefined;
    },
    isDurable(connection): boolean {
      return hasJournalRow(connection, runId, { firstSeq, count, chain });
    },
    hints: () => queued,
  };
}

function handleNotes(connection: Connection, request: ChangingAppend): void {
  const [, , runId, epoch, firstSeq] = request;
  for (const { kind, key } of request[12]?.handled ?? [])
    connection.run(handleNote, kind, key, runId, epoch, firstSeq - 1);
}

function advance(connection: Connection, request: ChangingAppend): Row | undefined {
  const [, , runId, epoch, firstSeq, count, chain, at, status, release, fingerprint, wakeAt] = request;
  const expectedSeq = firstSeq - 1;
  const lastSeq = expectedSeq + count;
  if (status === null && fingerprint === null && !release)
    return connection.get(advanceRun, lastSeq, chain, at, runId, epoch, expectedSeq);
  const change = { lastSeq, chain, at, fingerprint, release: release ? 1 : 0, runId, epoch, expectedSeq };
  return status === null
    ? connection.get(advanceRunOtherwise, change)
    : connection.get(advanceRunStatus, { ...change, status, wakeAt });
}
