import type { CreateResult, NewRun } from "../../../ports/backend.ts";
import type { CommandOf } from "../protocol.ts";
import { selectLastCarried } from "../sql/carried.ts";
import { insertJournalRow } from "../sql/insert-journal-row.ts";
import { insertLabel } from "../sql/insert-label.ts";
import { insertRun } from "../sql/insert-run.ts";
import { selectActiveInThread } from "../sql/select-active-in-thread.ts";
import { selectNewestInThread } from "../sql/select-runs.ts";
import type { Connection } from "./connection.ts";
import { nameBlobs } from "./name-blobs.ts";
import { findRun, hasJournalRow, toRunRow } from "./run-row.ts";
import type { Write } from "./write.ts";

/** B1, H66: creates only. */
export function createWrite(command: CommandOf<"create">, bytes: Uint8Array, owner: string): Write {
  const { run, first } = command.input;
  const { id, graph, fingerprint, createdAt, traceId = null, labels: given, thread = null, blobs = [] } = run;
  const labels = Object.entries(given ?? {});
  const json = labels.length === 0 ? null : JSON.stringify(given);
  return {
    id: command.id,
    byteLength: bytes.byteLength,
    apply(connection): CreateResult {
      const { firstSeq, count, chain } = first;
      const obstacle = thread === null ? undefined : inTheWay(connection, id, thread);
      if (obstacle !== undefined) return obstacle;
      const last = thread === null ? null : Number(connection.get(selectLastCarried, thread)?.["last"]);
      if (thread !== null && hasMoved(connection, thread, last, run)) return { type: "moved" };
      const columns = {
        id,
        graph,
        fingerprint,
        createdAt,
        traceId,
        labels: json,
        thread,
        carriedUpTo: last,
        owner,
        lastSeq: count,
        chain,
      };
      const created = connection.get(insertRun, columns);
      if (created === undefined) {
        const row = findRun(connection, id);
        if (row === undefined) throw new Error(`run ${id} exists and does not`);
        return { type: "exists", row };
      }
      const n = created["n"] as number;
      for (const [key, value] of labels) connection.run(insertLabel, key, value, n);
      connection.run(insertJournalRow, n, firstSeq, count, chain, bytes);
      nameBlobs(connection, n, blobs);
      return { type: "created" };
    },
    isDurable(connection, answer): boolean {
      const row = findRun(connection, id);
      if ((answer as CreateResult).type !== "created") return false;
      const ours = row?.owner === owner || row?.owner === null;
      return ours && row.createdAt === createdAt && hasJournalRow(connection, id, first);
    },
  };
}

/** Whether the thread is not as the creator of the run knows it (B16). */
function hasMoved(
  connection: Connection,
  thread: string,
  last: number | null,
  { carriedUpTo, follows }: Pick<NewRun, "carriedUpTo" | "follows">,
): boolean {
  if (carriedUpTo !== undefined && carriedUpTo !== last) return true;
  return follows !== undefined && follows !== (connection.get(selectNewestInThread, thread)?.["id"] ?? null);
}

/** B10; of a run that stands already its own row matters, whatever its thread does. */
function inTheWay(connection: Connection, id: string, thread: string): CreateResult | undefined {
  const row = findRun(connection, id);
  if (row !== undefined) return { type: "exists", row };
  const active = connection.get(selectActiveInThread, thread);
  return active === undefined ? undefined : { type: "busy", row: toRunRow(active) };
}
