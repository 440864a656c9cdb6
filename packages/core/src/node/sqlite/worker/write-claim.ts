import { holdBackMs, longLifeMs, type RunRow, type RunStatus } from "../../../ports/backend.ts";
import type { CommandOf } from "../protocol.ts";
import { claimRun, claimRuns } from "../sql/claim-runs.ts";
import { selectOwners } from "../sql/select-owners.ts";
import type { Connection } from "./connection.ts";
import { isDead } from "./owner-lock.ts";
import type { Owners } from "./owners.ts";
import { findRun, toRunRow } from "./run-row.ts";
import type { Write } from "./write.ts";

/** By the number of deaths, as far as it still grows. */
const holdBacks = JSON.stringify(Array.from({ length: 20 }, (_, deaths) => holdBackMs(deaths)));

/**
 * B6. Owners are proven dead inside the transaction: while it holds the write lock, nobody whose name was free a moment
 * ago can come to own a run.
 */
export function claimWrite(command: CommandOf<"claim">, owners: Owners): Write {
  const { statuses, due = false, runId, graphs, except = [], limit, at, maxAttempts = null } = command.input;
  const held = graphs?.map(({ graph, fingerprint = null }) => [graph, fingerprint]);
  const asked = {
    owner: owners.self,
    at,
    due: due ? 1 : 0,
    graphs: held === undefined ? null : JSON.stringify(held),
    except: JSON.stringify(except),
    limit: Math.max(0, limit),
    named: runId === undefined ? 0 : 1,
    longLife: longLifeMs,
    holdBacks,
    maxAttempts,
  };
  return {
    id: command.id,
    byteLength: 0,
    apply(connection): RunRow[] {
      const values = { ...asked, deadOwners: JSON.stringify(deadOwners(connection, owners)) };
      const rows =
        runId === undefined
          ? connection.all(claimRuns(statuses.length), { ...values, ...named(statuses) })
          : connection.all(claimRun, { ...values, runId, statuses: JSON.stringify(statuses) });
      // RETURNING gives no order.
      rows.sort((a, b) => Number(a["createdAt"]) - Number(b["createdAt"]) || Number(a["n"]) - Number(b["n"]));
      return rows.map(toRunRow);
    },
    isDurable(connection, answer): boolean {
      return (answer as RunRow[]).every((row) => {
        const found = findRun(connection, row.id);
        return found?.owner === row.owner && found.epoch === row.epoch && found.status === row.status;
      });
    },
  };
}

function named(statuses: readonly RunStatus[]): Record<string, string> {
  return Object.fromEntries(statuses.map((status, i) => [`status${i}`, status]));
}

function deadOwners(connection: Connection, { self, folder }: Owners): string[] {
  return connection
    .all(selectOwners, self)
    .map((row) => String(row["owner"]))
    .filter((other) => isDead(folder, other));
}
