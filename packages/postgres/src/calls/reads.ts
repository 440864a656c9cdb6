import type { CarriedRow, JournalRow, RunFilter } from "@millrace/core";
import type { JournalTail, PageLimit, StoredRow } from "@millrace/core/adapter";

import { texts } from "../array-literal.ts";
import type { Owned } from "../database.ts";

export async function findRun({ database }: Owned, runId: string): Promise<StoredRow | undefined> {
  return (await database.once<StoredRow>(database.statements.selectRun, [runId])).rows[0];
}

export async function findActive({ database }: Owned, thread: string): Promise<StoredRow | undefined> {
  return (await database.once<StoredRow>(database.statements.selectActiveRun, [thread])).rows[0];
}

export async function findTail({ database }: Owned, runId: string, firstSeq: number): Promise<JournalTail | undefined> {
  return (await database.once<JournalTail>(database.statements.selectJournalRow, [runId, firstSeq])).rows[0];
}

export async function listRuns({ database }: Owned, filter: RunFilter): Promise<StoredRow[]> {
  const { selectRuns, selectRunsOfThread } = database.statements;
  const { thread, carriedUntil = Infinity } = filter;
  if (thread === undefined) return (await database.once<StoredRow>(selectRuns, valuesOf(filter))).rows;
  const values = [...valuesOf(filter), carriedUntil === Infinity ? null : Math.floor(carriedUntil)];
  return (await database.once<StoredRow>(selectRunsOfThread, values)).rows;
}

function valuesOf(filter: RunFilter): unknown[] {
  const { status, graph = null, thread = null, limit = null, createdUntil = Infinity } = filter;
  const labels = Object.entries(filter.labels ?? {});
  return [
    status === undefined ? null : texts(status),
    graph,
    thread,
    labels.length === 0 ? null : texts(labels.map(([key]) => key)),
    labels.length === 0 ? null : texts(labels.map(([, value]) => value)),
    limit === null ? null : Math.max(0, limit),
    createdUntil === Infinity ? null : Math.floor(createdUntil),
  ];
}

export async function findLiving({ database }: Owned, owners: readonly string[]): Promise<string[]> {
  const { rows } = await database.once<{ name: string }>(database.statements.selectLivingOwners, [texts(owners)]);
  return rows.map(({ name }) => name);
}

export async function readPage(
  { database }: Owned,
  runId: string,
  fromSeq: number,
  most: PageLimit,
): Promise<JournalRow[]> {
  const values = [runId, fromSeq, most.rows, most.bytes];
  return (await database.once<JournalRow>(database.statements.selectJournal, values)).rows;
}

export async function findCarried(
  { database }: Owned,
  thread: string,
  upTo: number | null,
  from: number,
): Promise<CarriedRow[]> {
  return (await database.once<CarriedRow>(database.statements.selectCarried, [thread, upTo, from])).rows;
}
