import type { CarriedRow, JournalRow, RunFilter } from "@millrace/core";
import type { JournalTail, PageLimit, StoredRow } from "@millrace/core/adapter";

import type { Owned } from "../database.ts";
import { hexKeyOf, hexLabelKeyOf, keyOf } from "../keys.ts";

export async function findRun({ database }: Owned, runId: string): Promise<StoredRow | undefined> {
  return (await database.once<StoredRow>(database.statements.selectRun, [keyOf(runId)])).rows[0];
}

export async function findActive({ database }: Owned, thread: string): Promise<StoredRow | undefined> {
  return (await database.once<StoredRow>(database.statements.selectActiveRun, [keyOf(thread)])).rows[0];
}

export async function findTail({ database }: Owned, runId: string, firstSeq: number): Promise<JournalTail | undefined> {
  const values = [firstSeq, keyOf(runId)];
  return (await database.once<JournalTail>(database.statements.selectJournalRow, values)).rows[0];
}

export async function listRuns({ database }: Owned, filter: RunFilter): Promise<StoredRow[]> {
  const { status, graph, thread, limit, createdUntil = Infinity } = filter;
  const carriedUntil = thread === undefined ? Infinity : (filter.carriedUntil ?? Infinity);
  const labels = Object.entries(filter.labels ?? {});
  const shape = {
    statuses: status?.length,
    graph: graph !== undefined,
    thread: thread !== undefined,
    createdUntil: createdUntil !== Infinity,
    carriedUntil: carriedUntil !== Infinity,
    labels: labels.length,
    limit: limit !== undefined,
  };
  const values = [
    ...(status ?? []),
    ...(graph === undefined ? [] : [keyOf(graph)]),
    ...(thread === undefined ? [] : [keyOf(thread)]),
    ...(createdUntil === Infinity ? [] : [Math.floor(createdUntil)]),
    ...(carriedUntil === Infinity ? [] : [Math.floor(carriedUntil)]),
    ...labels.map((label) => Buffer.from(hexLabelKeyOf(label), "hex")),
    ...(limit === undefined ? [] : [limitOf(limit)]),
  ];
  return (await database.once<StoredRow>(database.statements.selectRuns(shape), values)).rows;
}

/** As text: numbers travel as floating point, which a limit may not be. */
export function limitOf(limit: number): string {
  return String(Math.min(Math.max(0, Math.floor(limit)), Number.MAX_SAFE_INTEGER));
}

export async function findLiving({ database }: Owned, owners: readonly string[]): Promise<string[]> {
  const values = [JSON.stringify(owners.map(hexKeyOf))];
  const { rows } = await database.once<{ name: string }>(database.statements.selectLivingOwners, values);
  return rows.map(({ name }) => name);
}

export async function readPage(
  { database }: Owned,
  runId: string,
  fromSeq: number,
  most: PageLimit,
): Promise<JournalRow[]> {
  const key = keyOf(runId);
  const values = [key, fromSeq, fromSeq, key, limitOf(most.rows), most.bytes];
  return (await database.once<JournalRow>(database.statements.selectJournal, values)).rows;
}

export type StoredCarried = Omit<CarriedRow, "whole"> & { readonly whole: number };

export function toCarried({ n, runId, whole, bytes }: StoredCarried): CarriedRow {
  return { n, runId, whole: whole === 1, bytes };
}

export async function findCarried(
  { database }: Owned,
  thread: string,
  upTo: number | null,
  from: number,
): Promise<CarriedRow[]> {
  const key = keyOf(thread);
  const values = [key, upTo, from, key, upTo];
  const { rows } = await database.once<StoredCarried>(database.statements.selectCarried, values);
  return rows.map(toCarried);
}
