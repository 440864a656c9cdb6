import type { CreateResult } from "../../../ports/backend.ts";
import type { CommandOf } from "../protocol.ts";
import { insertJournalRow } from "../sql/insert-journal-row.ts";
import { insertLabel } from "../sql/insert-label.ts";
import { insertRun } from "../sql/insert-run.ts";
import { findRun, hasJournalRow } from "./run-row.ts";
import type { Write } from "./write.ts";

/** B1, H66: creates only. */
export function createWrite(command: CommandOf<"create">, bytes: Uint8Array, owner: string): Write {
  const { run, first } = command.input;
  const { traceId = null, labels: given } = run;
  const labels = Object.entries(given ?? {});
  const json = labels.length === 0 ? null : JSON.stringify(given);
  return {
    id: command.id,
    byteLength: bytes.byteLength,
    apply(connection): CreateResult {
      const { firstSeq, count, chain } = first;
      const created = connection.get(insertRun, { ...run, traceId, labels: json, owner, lastSeq: count, chain });
      if (created === undefined) {
        const row = findRun(connection, run.id);
        if (row === undefined) throw new Error(`run ${run.id} exists and does not`);
        return { type: "exists", row };
      }
      const n = created["n"] as number;
      for (const [key, value] of labels) connection.run(insertLabel, key, value, n);
      connection.run(insertJournalRow, n, firstSeq, count, chain, bytes);
      return { type: "created" };
    },
    isDurable(connection, answer): boolean {
      const row = findRun(connection, run.id);
      if ((answer as CreateResult).type === "exists") return row !== undefined;
      const ours = row?.owner === owner || row?.owner === null;
      return ours && row.createdAt === run.createdAt && hasJournalRow(connection, run.id, first);
    },
  };
}
