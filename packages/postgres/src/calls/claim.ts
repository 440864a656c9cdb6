import { endedStatuses, type ClaimRequest } from "@millrace/core";
import type { ClaimedRow } from "@millrace/core/adapter";

import { texts } from "../array-literal.ts";
import type { Owned } from "../database.ts";
import type { ClaimShape } from "../sql/claim-runs.ts";

export async function claim(
  { database, owner, ownerN }: Owned,
  request: ClaimRequest,
  mark: string,
): Promise<ClaimedRow[]> {
  const { limit, maxAttempts = null } = request;
  const greatest = maxAttempts === Infinity ? null : maxAttempts;
  const values = [...wanted(request), limit, owner, ownerN, mark, greatest];
  const { rows } = await database.once<ClaimedRow>(database.statements.claimRuns(shapeOf(request)), values);
  return rows;
}

export async function findClaimed({ database, ownerN }: Owned, mark: string): Promise<ClaimedRow[]> {
  return (await database.once<ClaimedRow>(database.statements.selectClaimed, [mark, ownerN])).rows;
}

export async function freeHeld({ database }: Owned, request: ClaimRequest): Promise<boolean> {
  const { statements } = database;
  const held = await database.once(statements.isHeld(shapeOf(request)), wanted(request));
  if (held.rows.length === 0) return false;
  const { rows } = await database.once<{ count: number }>(statements.terminateDeadOwners);
  return (rows[0]?.count ?? 0) > 0;
}

function wanted({ statuses, due = false, at, runId, graphs, except = [] }: ClaimRequest): unknown[] {
  return [
    texts(statuses),
    due,
    at,
    runId ?? null,
    graphs === undefined ? null : texts(graphs.map(({ graph }) => graph)),
    graphs === undefined ? null : texts(graphs.map(({ fingerprint }) => fingerprint ?? null)),
    texts(except),
  ];
}

function shapeOf({ runId, statuses }: ClaimRequest): ClaimShape {
  return { byId: runId !== undefined, open: !statuses.some((status) => endedStatuses.has(status)) };
}
