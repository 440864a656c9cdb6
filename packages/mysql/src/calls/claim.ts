import { holdBackMs, longLifeMs, type ClaimRequest } from "@millrace/core";
import type { ClaimedRow } from "@millrace/core/adapter";

import type { Client, Owned } from "../database.ts";
import { hexKeyOf, keyOf } from "../keys.ts";
import { limitOf } from "./reads.ts";

interface Candidate {
  readonly n: number;
  readonly createdAt: number;
}

type LockedRow = ClaimedRow & {
  readonly ownerN: number | null;
  readonly claimedAt: number;
  readonly claimedSeq: number;
  readonly holdUntil: number;
};

/**
 * B6. Candidates are found without locks, and then locked and looked at again, so that a claim that finds nothing costs one
 * read, and one that stands still holds nobody up but those who want the same runs. Those that others were faster with are
 * passed over, and the next ones looked at.
 */
export async function claim(owned: Owned, request: ClaimRequest, mark: string): Promise<ClaimedRow[]> {
  const claimed: ClaimedRow[] = [];
  for (let after: Candidate = { n: 0, createdAt: Number.MIN_SAFE_INTEGER }; ;) {
    const wanted = request.limit - claimed.length;
    const candidates = await findClaimable(owned, request, after, wanted);
    const last = candidates.at(-1);
    if (last === undefined) return claimed;
    claimed.push(...(await take(owned, request, mark, candidates)));
    if (claimed.length >= request.limit || candidates.length < wanted) return claimed;
    after = last;
  }
}

export async function findClaimed({ database, ownerN }: Owned, mark: string): Promise<ClaimedRow[]> {
  return (await database.once<ClaimedRow>(database.statements.selectClaimed, [ownerN, mark, mark])).rows;
}

export async function freeHeld(owned: Owned, request: ClaimRequest): Promise<boolean> {
  const { database } = owned;
  const held = await findClaimable(owned, request, { n: 0, createdAt: Number.MIN_SAFE_INTEGER }, 1);
  return held.length > 0 && (await database.endDeadSessions()) > 0;
}

/** As many as there are places for them in the statement. */
const places = 10;

async function findClaimable(
  { database }: Owned,
  { statuses, due = false, at, runId, graphs, except = [] }: ClaimRequest,
  after: Candidate,
  limit: number,
): Promise<Candidate[]> {
  const shape = { byId: runId !== undefined, due, graphs: graphs !== undefined, except: except.length > 0 };
  const shared = [
    runId === undefined ? at : keyOf(runId),
    ...(graphs === undefined
      ? []
      : [JSON.stringify(graphs.map(({ graph, fingerprint }) => [hexKeyOf(graph), hexOf(fingerprint)]))]),
    ...(except.length === 0 ? [] : [JSON.stringify(except.map(hexKeyOf))]),
    after.createdAt,
    after.createdAt,
    after.n,
  ];
  const listed = Array.from({ length: places }, (_, i) => statuses[i] ?? statuses[0] ?? "");
  const most = limitOf(limit);
  const one = [...shared, ...listed, most];
  const values = shape.byId ? one : [...one, ...one, ...(due ? [...shared, at, most] : []), most];
  return (await database.once<Candidate>(database.statements.selectClaimable(shape), values)).rows;
}

function hexOf(text: string | undefined): string | null {
  return text === undefined ? null : Buffer.from(text).toString("hex");
}

async function take(
  { database, owner, ownerN }: Owned,
  request: ClaimRequest,
  mark: string,
  candidates: readonly Candidate[],
): Promise<ClaimedRow[]> {
  const { lockClaimable, claimRuns } = database.statements;
  return database.together(async (client) => {
    const given = JSON.stringify(candidates.map(({ n }) => n));
    const { rows } = await client.execute<LockedRow>(lockClaimable, [given]);
    const living = await livingOf(client, database.statements.selectLivingNumbers, [
      ownerN,
      ...rows.flatMap((row) => row.ownerN ?? []),
    ]);
    // H7: the rows are as they are now, and stay so until this is committed.
    const free = rows.filter((row) => isWanted(row, request) && (row.ownerN === null || !living.has(row.ownerN)));
    if (free.length === 0 || !living.has(ownerN)) return { keep: false, result: [] };
    const taken = free.map((row) => takenOf(row, owner, request));
    const changes = taken.map(({ n, attempts, holdUntil, spent }) => [n, attempts, spent ? 1 : 0, holdUntil]);
    await client.execute(claimRuns, [JSON.stringify(changes), request.at, owner, ownerN, mark, request.at]);
    return { keep: true, result: taken };
  });
}

async function livingOf(client: Client, text: string, owners: readonly number[]): Promise<ReadonlySet<number>> {
  const { rows } = await client.execute<{ n: number }>(text, [JSON.stringify([...new Set(owners)])]);
  return new Set(rows.map(({ n }) => n));
}

/** What may have changed since it was found. */
function isWanted({ status, wakeAt, holdUntil }: LockedRow, { statuses, due, at, runId }: ClaimRequest): boolean {
  const isDue = due === true && status === "interrupted" && wakeAt !== null && wakeAt <= at;
  return (statuses.includes(status) || isDue) && (runId !== undefined || holdUntil <= at);
}

function takenOf(
  row: LockedRow,
  owner: string,
  request: ClaimRequest,
): ClaimedRow & { readonly holdUntil: number; readonly spent: boolean } {
  const { at, maxAttempts = Infinity } = request;
  const attempts = attemptsOf(row, request);
  const updated = { ...row, attempts, updatedAt: at };
  if (attempts > maxAttempts) return { ...updated, spent: true, status: "quarantined", owner: null };
  const holdUntil = attempts < 2 ? 0 : at + holdBackMs(attempts);
  return { ...updated, spent: false, owner, epoch: row.epoch + 1, holdUntil };
}

/** Who names a run begins at 0. One that was released, or that came further under its owner, or whose owner lived long, did not kill it. */
function attemptsOf(row: LockedRow, { runId, at }: ClaimRequest): number {
  if (runId !== undefined) return 0;
  if (row.owner === null) return row.attempts;
  return row.lastSeq > row.claimedSeq + 1 || at - row.claimedAt > longLifeMs ? 1 : row.attempts + 1;
}
