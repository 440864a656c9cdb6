import type { Labels } from "../../../model/tags.ts";
import type { Pruned } from "../../../ports/backend.ts";
import type { CommandOf } from "../protocol.ts";
import { deleteCarriedOfNone, deleteOldCarried } from "../sql/carried.ts";
import {
  deleteBlob,
  deleteBlobRefs,
  deleteLabel,
  deletesOfRun,
  deleteUnnamedBlobUses,
  selectPrunable,
  unnameBlob,
} from "../sql/prune.ts";
import type { Connection, Row } from "./connection.ts";
import type { Write } from "./write.ts";

/** B11: one portion. What a thread carries on stays, but for what no run that is left is read from. */
export function pruneWrite(command: CommandOf<"prune">): Write {
  const { endedBefore, statuses, graph = null, thread: ofThread = null, limit, blobsBefore } = command.input;
  const asked = {
    endedBefore,
    statuses: statuses === undefined ? null : JSON.stringify(statuses),
    graph,
    thread: ofThread,
    limit: Math.max(0, limit),
  };
  return {
    id: command.id,
    byteLength: 0,
    apply(connection): Pruned {
      const runs = connection.all(selectPrunable, asked);
      for (const run of runs) deleteRun(connection, run);
      for (const thread of new Set(runs.map((run) => run["thread"] as string | null)))
        if (thread !== null) connection.run(deleteOldCarried, { thread });
      if (ofThread !== null) connection.run(deleteCarriedOfNone, { thread: ofThread });
      const blobs = connection.all(deleteUnnamedBlobUses, blobsBefore);
      for (const { hash } of blobs) connection.run(deleteBlob, String(hash));
      return { runs: runs.length, blobs: blobs.length };
    },
  };
}

function deleteRun(connection: Connection, { n, labels }: Row): void {
  const run = Number(n);
  const pairs = Object.entries(JSON.parse((labels as string | null) ?? "{}") as Labels);
  for (const [key, value] of pairs) connection.run(deleteLabel, key, value, run);
  for (const { hash } of connection.all(deleteBlobRefs, run)) connection.run(unnameBlob, String(hash));
  for (const deletion of deletesOfRun) connection.run(deletion, run);
}
