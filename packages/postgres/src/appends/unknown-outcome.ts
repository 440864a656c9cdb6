import type { Append } from "@millrace/core";

import type { Statements } from "../sql/statements.ts";
import type { AppendConnection } from "./append-connection.ts";

/** What the journal says of an append whose answer did not come. */
export interface Found {
  /** Its chain speaks for its bytes and everything before them. */
  readonly isPresent: boolean;
  readonly epoch: number | undefined;
  readonly lastSeq: number | undefined;
}

interface JournalTail {
  readonly epoch: number;
  readonly lastSeq: number;
  readonly count: number | null;
  readonly chain: number | null;
}

export async function lookFor(
  { runId, row }: Append,
  connection: AppendConnection,
  statements: Statements,
): Promise<Found> {
  const { rows } = await connection.insist<JournalTail & Record<string, unknown>>(statements.selectJournalRow, [
    runId,
    row.firstSeq,
  ]);
  const [tail] = rows;
  const isPresent = tail?.count === row.count && tail.chain === row.chain;
  return { isPresent, epoch: tail?.epoch, lastSeq: tail?.lastSeq };
}
