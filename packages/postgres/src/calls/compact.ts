import type { Compaction, CompactResult } from "@millrace/core";

import { bufferOf, texts } from "../array-literal.ts";
import type { Owned } from "../database.ts";

/** B13 */
export async function noteSnapshot({ database }: Owned, runId: string, seq: number): Promise<void> {
  await database.once(database.statements.noteSnapshot, [runId, seq]);
}

/** B14 */
export async function compact({ database }: Owned, request: Compaction): Promise<CompactResult> {
  const { runId, row, forget, lastSeq } = request;
  const values = [runId, row.count, row.chain, bufferOf(row.bytes), lastSeq, texts(forget)];
  const { rows } = await database.once<{ still: boolean }>(database.statements.compactRun, values);
  const still = rows[0]?.still;
  return { type: still === undefined ? "refused" : still ? "compacted" : "moved" };
}
