import type { Compaction, CompactResult } from "@millrace/core";

import type { Owned } from "../database.ts";
import { bufferOf, hexKeyOf, keyOf } from "../keys.ts";

/** B13 */
export async function noteSnapshot({ database }: Owned, runId: string, seq: number): Promise<void> {
  await database.once(database.statements.noteSnapshot, [seq, keyOf(runId), seq, seq]);
}

/** B14 */
export async function compact({ database }: Owned, request: Compaction): Promise<CompactResult> {
  const { runId, row, forget, lastSeq } = request;
  const forgotten = forget.length === 0 ? null : JSON.stringify(forget.map(hexKeyOf));
  const values = [keyOf(runId), row.count, row.chain, lastSeq, forgotten, bufferOf(row.bytes)];
  const { rows } = await database.once<CompactResult>(database.statements.compactRun, values);
  return { type: rows[0]?.type ?? "refused" };
}
