import type { Compaction, CompactResult } from "@millrace/core";

import { bufferOf, texts } from "../array-literal.ts";
import type { Connections } from "../connections.ts";
import { isStorable } from "../text.ts";

/** B13 */
export async function noteSnapshot({ database }: Connections, runId: string, seq: number): Promise<void> {
  if (isStorable(runId)) await database.query(database.statements.noteSnapshot, [runId, seq]);
}

/** B14 */
export async function compactRun({ database }: Connections, request: Compaction): Promise<CompactResult> {
  const { runId, row, forget, lastSeq } = request;
  if (!isStorable(runId)) return { type: "refused" };
  const values = [runId, row.count, row.chain, bufferOf(row.bytes), lastSeq, texts(forget)];
  const { rows } = await database.query<{ still: boolean }>(database.statements.compactRun, values);
  const still = rows[0]?.still;
  return { type: still === undefined ? "refused" : still ? "compacted" : "moved" };
}
