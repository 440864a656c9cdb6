import { randomUUID } from "node:crypto";

import { endedStatuses, type ClaimRequest, type RunRow } from "@millrace/core";

import { texts } from "../array-literal.ts";
import type { Connections } from "../connections.ts";
import type { Answer } from "../database.ts";
import { isLost } from "../failure.ts";
import { toRunRow, type StoredRow } from "../run-row.ts";
import type { ClaimShape } from "../sql/claim-runs.ts";
import { isStorable } from "../text.ts";

type ClaimedRow = StoredRow & { readonly n: number };

/**
 * B6. When there are fewer than asked for, some may be locked: by another claim, which is none of ours, or by the connection of
 * a dead owner that stands still in the middle of a statement. The latter are ended, and the runs asked for once more (H3).
 */
export async function claimRuns(connections: Connections, request: ClaimRequest): Promise<RunRow[]> {
  const { runId, limit } = request;
  if (limit <= 0 || (runId !== undefined && !isStorable(runId))) return [];
  const claimed = await claimOnce(connections, request);
  if (claimed.length < limit && (await freeHeld(connections, request))) {
    claimed.push(...(await claimOnce(connections, { ...request, limit: limit - claimed.length })));
  }
  // RETURNING gives no order.
  return claimed.sort((a, b) => a.createdAt - b.createdAt || a.n - b.n).map(toRunRow);
}

/** H16: a claim whose answer did not come has left its mark on what it took. */
async function claimOnce(connections: Connections, request: ClaimRequest): Promise<ClaimedRow[]> {
  const { database, owner, ownerN } = connections;
  const { statements } = database;
  const mark = randomUUID();
  let wasLost = false;
  const { limit, maxAttempts = null } = request;
  const greatest = maxAttempts === Infinity ? null : maxAttempts;
  const values = [...wanted(request), limit, owner, ownerN, mark, greatest];
  return database.attempt(async () => {
    try {
      const earlier = wasLost ? await database.once<ClaimedRow>(statements.selectClaimed, [mark, ownerN]) : none;
      if (earlier.rows.length > 0) return earlier.rows;
      return (await database.once<ClaimedRow>(statements.claimRuns(shapeOf(request)), values)).rows;
    } catch (error) {
      wasLost ||= isLost(error);
      throw error;
    }
  });
}

const none: Answer<ClaimedRow> = { rows: [], count: 0 };

async function freeHeld({ database }: Connections, request: ClaimRequest): Promise<boolean> {
  const { statements } = database;
  const held = await database.query(statements.isHeld(shapeOf(request)), wanted(request));
  if (held.rows.length === 0) return false;
  const { rows } = await database.query<{ count: number }>(statements.terminateDeadOwners);
  return (rows[0]?.count ?? 0) > 0;
}

function wanted({ statuses, due = false, at, runId, graphs, except = [] }: ClaimRequest): unknown[] {
  const held = graphs?.filter(({ graph, fingerprint = "" }) => isStorable(graph) && isStorable(fingerprint));
  return [
    texts(statuses),
    due,
    at,
    runId ?? null,
    held === undefined ? null : texts(held.map(({ graph }) => graph)),
    held === undefined ? null : texts(held.map(({ fingerprint }) => fingerprint ?? null)),
    texts(except.filter(isStorable)),
  ];
}

function shapeOf({ runId, statuses }: ClaimRequest): ClaimShape {
  return { byId: runId !== undefined, open: !statuses.some((status) => endedStatuses.has(status)) };
}
