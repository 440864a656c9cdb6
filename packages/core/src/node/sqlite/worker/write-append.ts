import type { AppendResult } from "../../../ports/backend.ts";
import type { PlainAppend } from "../protocol.ts";
import { advanceRun } from "../sql/advance-run.ts";
import { insertJournalRow } from "../sql/insert-journal-row.ts";
import { findRun, hasJournalRow } from "./run-row.ts";
import type { Write } from "./write.ts";

/** B2, for what most appends are: a row, and nothing else. Answers undefined for `ok`, which is the cheapest to send. */
export function plainAppendWrite(request: PlainAppend, bytes: Uint8Array): Write {
  const [id, , runId, epoch, firstSeq, count, chain, at] = request;
  return {
    id,
    byteLength: bytes.byteLength,
    apply(connection): AppendResult | undefined {
      const expectedSeq = firstSeq - 1;
      const run = connection.get(advanceRun, expectedSeq + count, chain, at, runId, epoch, expectedSeq);
      if (run === undefined) return { type: "lost", row: findRun(connection, runId) };
      connection.run(insertJournalRow, run["n"] as number, firstSeq, count, chain, bytes);
      return undefined;
    },
    isDurable(connection): boolean {
      return hasJournalRow(connection, runId, { firstSeq, count, chain });
    },
  };
}
