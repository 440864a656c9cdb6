import type { AppendResult } from "../../../ports/backend.ts";
import type { AppendRequest } from "../protocol.ts";
import { advanceRun } from "../sql/advance-run.ts";
import { advanceRunStatus } from "../sql/advance-run-status.ts";
import { insertJournalRow } from "../sql/insert-journal-row.ts";
import type { Connection, Row } from "./connection.ts";
import { findRun, hasJournalRow } from "./run-row.ts";
import type { Write } from "./write.ts";

/** B2. Answers undefined for `ok`, which is the cheapest answer to send. */
export function appendWrite(request: AppendRequest, bytes: Uint8Array): Write {
  const [id, , runId, , firstSeq, count, chain] = request;
  return {
    id,
    byteLength: bytes.byteLength,
    apply(connection): AppendResult | undefined {
      const run = advance(connection, request);
      if (run === undefined) return { type: "lost", row: findRun(connection, runId) };
      connection.run(insertJournalRow, run["n"] as number, firstSeq, count, chain, bytes);
      return undefined;
    },
    isDurable(connection): boolean {
      return hasJournalRow(connection, runId, { firstSeq, count, chain });
    },
  };
}

function advance(connection: Connection, request: AppendRequest): Row | undefined {
  const [, , runId, epoch, firstSeq, count, chain, at, status, release, fingerprint] = request;
  const expectedSeq = firstSeq - 1;
  const lastSeq = expectedSeq + count;
  if (status === null && fingerprint === null && !release)
    return connection.get(advanceRun, lastSeq, chain, at, runId, epoch, expectedSeq);
  const change = { lastSeq, chain, at, status, fingerprint, release: release ? 1 : 0 };
  return connection.get(advanceRunStatus, { ...change, runId, epoch, expectedSeq });
}
