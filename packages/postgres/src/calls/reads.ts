import type { CarriedRow, JournalRow, RunFilter, RunRow } from "@millrace/core";

import { texts } from "../array-literal.ts";
import type { Connections } from "../connections.ts";
import { toRunRow, type StoredRow } from "../run-row.ts";
import { isStorable } from "../text.ts";

/** A page of a journal holds no more; what is larger comes alone. */
const pageRows = 1_000;
const pageBytes = 4 << 20;

export async function findRun({ database }: Connections, runId: string): Promise<RunRow | undefined> {
  if (!isStorable(runId)) return undefined;
  const { rows } = await database.query<StoredRow>(database.statements.selectRun, [runId]);
  return rows[0] === undefined ? undefined : toRunRow(rows[0]);
}

export async function listRuns({ database }: Connections, filter: RunFilter): Promise<RunRow[]> {
  const { graph = "", thread = "", labels = {} } = filter;
  if (![graph, thread, ...Object.entries(labels).flat()].every(isStorable)) return [];
  const { rows } = await database.query<StoredRow>(database.statements.selectRuns, valuesOf(filter));
  return rows.map(toRunRow);
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

export async function findLiving({ database }: Connections, owners: readonly string[]): Promise<string[]> {
  const asked = owners.filter(isStorable);
  if (asked.length === 0) return [];
  const { rows } = await database.query<{ name: string }>(database.statements.selectLivingOwners, [texts(asked)]);
  const living = new Set(rows.map(({ name }) => name));
  return asked.filter((owner) => living.has(owner));
}

/** Page by page; the next page is asked for before the current one is handed out. */
export async function* readJournal(
  open: () => Connections,
  runId: string,
  fromSeq: number,
): AsyncGenerator<JournalRow, void, undefined> {
  const ask = (from: number): Promise<JournalRow[]> => readPage(open(), runId, from);
  let next: Promise<JournalRow[]> | undefined = ask(fromSeq);
  while (next !== undefined) {
    const page: JournalRow[] = await next;
    const last = page.at(-1);
    next = last === undefined ? undefined : ask(last.firstSeq + last.count);
    // A reader that stops early leaves this one unawaited; one that goes on meets its failure above.
    next?.catch(() => undefined);
    yield* page;
  }
}

async function readPage({ database }: Connections, runId: string, fromSeq: number): Promise<JournalRow[]> {
  if (!isStorable(runId)) return [];
  const { rows } = await database.query<JournalRow & Record<string, unknown>>(database.statements.selectJournal, [
    runId,
    fromSeq,
    pageRows,
    pageBytes,
  ]);
  return rows;
}

export async function readCarried({ database }: Connections, thread: string, upTo?: number): Promise<CarriedRow[]> {
  if (!isStorable(thread)) return [];
  const { rows } = await database.query<CarriedRow & Record<string, unknown>>(database.statements.selectCarried, [
    thread,
    upTo ?? null,
  ]);
  return rows;
}
