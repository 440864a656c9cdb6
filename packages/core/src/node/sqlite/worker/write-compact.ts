import type { CompactResult } from "../../../ports/backend.ts";
import type { CommandOf } from "../protocol.ts";
import { deleteBlobRef, deleteRowsUpTo, noteSnapshot, replaceFirstRow, selectCompactable } from "../sql/compact.ts";
import { unnameBlob } from "../sql/prune.ts";
import { hasJournalRow } from "./run-row.ts";
import type { Write } from "./write.ts";

export function noteSnapshotWrite({ id, input }: CommandOf<"noteSnapshot">): Write {
  return {
    id,
    byteLength: 0,
    apply(connection): undefined {
      connection.run(noteSnapshot, input);
    },
  };
}

/** B14: one portion, in one transaction. */
export function compactWrite({ id, input }: CommandOf<"compact">, bytes: Uint8Array): Write {
  const { runId, count, chain, forget, lastSeq } = input;
  return {
    id,
    byteLength: bytes.byteLength,
    apply(connection): CompactResult {
      const run = connection.get(selectCompactable, { runId, count });
      if (run === undefined || run["fits"] === 0) return { type: "refused" };
      if (forget.length > 0 && run["lastSeq"] !== lastSeq) return { type: "moved" };
      const n = run["n"] as number;
      connection.run(replaceFirstRow, count, chain, bytes, n);
      connection.run(deleteRowsUpTo, n, count);
      for (const hash of forget) {
        connection.run(deleteBlobRef, hash, n);
        connection.run(unnameBlob, hash);
      }
      return { type: "compacted" };
    },
    isDurable(connection): boolean {
      return hasJournalRow(connection, runId, { firstSeq: 1, count, chain });
    },
  };
}
