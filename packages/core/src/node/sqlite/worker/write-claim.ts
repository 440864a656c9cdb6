import type { RunRow } from "../../../ports/backend.ts";
import type { CommandOf } from "../protocol.ts";
import { claimRuns } from "../sql/claim-runs.ts";
import { selectOwners } from "../sql/select-owners.ts";
import { isDead } from "./owner-lock.ts";
import { findRun, toRunRow } from "./run-row.ts";
import type { Write } from "./write.ts";

/**
 * B6. Owners are proven dead inside the transaction: while it holds the write lock, nobody whose name was free a moment
 * ago can come to own a run.
 */
export function claimWrite(command: CommandOf<"claim">, owner: string, ownersFolder: string): Write {
  const { statuses, runId = null, graphs, limit, at } = command.input;
  return {
    id: command.id,
    byteLength: 0,
    apply(connection): RunRow[] {
      const dead = connection
        .all(selectOwners, owner)
        .map((row) => String(row["owner"]))
        .filter((other) => isDead(ownersFolder, other));
      const rows = connection.all(claimRuns, {
        owner,
        at,
        statuses: JSON.stringify(statuses),
        deadOwners: JSON.stringify(dead),
        runId,
        graphs: graphs === undefined ? null : JSON.stringify(graphs),
        limit: Math.max(0, limit),
      });
      // RETURNING gives no order.
      rows.sort((a, b) => Number(a["createdAt"]) - Number(b["createdAt"]) || Number(a["n"]) - Number(b["n"]));
      return rows.map(toRunRow);
    },
    isDurable(connection, answer): boolean {
      return (answer as RunRow[]).every((row) => {
        const found = findRun(connection, row.id);
        return found?.owner === owner && found.epoch === row.epoch;
      });
    },
  };
}
