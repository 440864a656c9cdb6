import type { JournalRow } from "../../src/ports/backend.ts";

/** The chain speaks for place and text, as a real one does. */
export function rowOf(firstSeq: number, text = "epoch 1", count = 1): JournalRow {
  const bytes = Buffer.from(text);
  return { firstSeq, count, bytes, chain: bytes.reduce((sum, byte) => (sum * 31 + byte) >>> 0, firstSeq) };
}
