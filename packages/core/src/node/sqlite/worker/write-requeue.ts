import { endedStatuses } from "../../../ports/backend.ts";
import type { CommandOf } from "../protocol.ts";
import { requeueRun } from "../sql/notes.ts";
import type { Owners } from "./owners.ts";
import { findRun } from "./run-row.ts";
import type { Write } from "./write.ts";
import { isFree } from "./write-post.ts";

export function requeueWrite(command: CommandOf<"requeue">, owners: Owners): Write {
  const { runId, at } = command.input;
  return {
    id: command.id,
    byteLength: 0,
    apply(connection): boolean {
      const row = findRun(connection, runId);
      if (row === undefined || endedStatuses.has(row.status) || !isFree(row.owner, owners)) return false;
      connection.run(requeueRun, at, runId);
      return true;
    },
    hints: (answer) => answer === true,
  };
}
