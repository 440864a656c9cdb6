import { errorOf, type MillraceError } from "../../base/error.ts";
import type { Labels } from "../../model/tags.ts";
import { endedStatuses, type Backend, type JournalRow, type RunRow } from "../../ports/backend.ts";
import type { StoredNote } from "../../ports/inbox.ts";
import type { CarriedRow } from "../../ports/thread.ts";
import { allCarried } from "../carry/all-carried.ts";
import { allRuns } from "../all-runs.ts";
import { blobHashesOf, blobBytes } from "../blobs.ts";
import { notOvertaken } from "../compact/overtaken.ts";
import { RowReader } from "../rows.ts";
import { isUnreadable } from "../unreadable.ts";
import { archiveVersion, contentOf, Sealer, type ArchivedRun } from "./line.ts";

export interface ExportOptions {
  /**
   * In this order, in which an import creates them. Default: all runs of the backend, by the time of their creation and their id,
   * those of a thread in its own order.
   */
  readonly runs?: readonly string[];
  /** Told of a run that cannot be read, which is left out then. Default: the export throws. */
  readonly damaged?: (runId: string, error: MillraceError) => unknown;
}

/**
 * Runs with their journals, notes, blobs and what their threads carry on, as lines of an archive that `importRuns` reads,
 * without line ends. Every journal is checked as it is read. A run that goes on meanwhile is exported as it stood at one of
 * its commits; nobody owns it in the archive. The same runs give the same lines.
 *
 * @throws MillraceError `RunNotFound`, `JournalCorrupt`
 */
export async function* exportRuns(
  backend: Backend,
  { runs, damaged }: ExportOptions = {},
): AsyncGenerator<string, void, undefined> {
  const sealer = new Sealer();
  const told: Told = { blobs: new Set(), threads: new Map() };
  let exported = 0;
  yield sealer.seal({ archive: "millrace", version: archiveVersion });
  for (const runId of new Set(runs ?? (await everyRun(backend)))) {
    const run = await exportable(backend, runId, damaged);
    if (run === undefined) continue;
    exported += 1;
    yield* linesOf(backend, run, told, sealer);
  }
  yield sealer.seal({ end: { runs: exported } });
}

/** What the archive has already. */
interface Told {
  readonly blobs: Set<string>;
  /** The last row of each thread. */
  readonly threads: Map<string, number>;
}

interface Exportable {
  readonly row: RunRow;
  readonly rows: readonly JournalRow[];
  readonly notes: readonly StoredNote[];
  readonly blobs: readonly string[];
  readonly large: ReadonlyMap<string, Uint8Array>;
}

async function everyRun(backend: Backend): Promise<string[]> {
  const found: (readonly [createdAt: number, id: string, thread: string | null])[] = [];
  for await (const { createdAt, id, thread } of allRuns(backend)) found.push([createdAt, id, thread]);
  found.sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1));
  const ids = found.map(([, id]) => id);
  for (const [thread, places] of Map.groupBy(ids.keys(), (place) => found[place]![2]))
    if (thread !== null && places.length > 1) await inOrderOf(backend, thread, ids, places);
  return ids;
}

/** Clocks have no part in the order of a thread (B16): its runs change places among themselves. */
async function inOrderOf(backend: Backend, thread: string, ids: string[], places: readonly number[]): Promise<void> {
  const waiting = new Set(places.map((place) => ids[place]!));
  // Others of it may have come meanwhile, and some may be gone: those keep their place behind the others.
  const newestFirst = await backend.list({ thread, limit: 2 * places.length + 100 });
  const known = newestFirst.map(({ id }) => id).filter((id) => waiting.delete(id));
  const ordered = [...known.reverse(), ...waiting];
  places.forEach((place, i) => (ids[place] = ordered[i]!));
}

async function exportable(
  backend: Backend,
  runId: string,
  damaged: ExportOptions["damaged"],
): Promise<Exportable | undefined> {
  try {
    return await notOvertaken(backend, runId, () => readRun(backend, runId));
  } catch (error) {
    if (damaged === undefined || !isUnreadable(error)) throw error;
    await damaged(runId, error);
    return undefined;
  }
}

async function readRun(backend: Backend, runId: string): Promise<Exportable> {
  // Before the row: one that is handled meanwhile comes again where it is imported, and means nothing then.
  const notes = await backend.notes(runId);
  const row = await backend.get(runId);
  if (row === undefined) throw errorOf("RunNotFound", { runId, where: backend.name });
  const reader = new RowReader(runId);
  const rows: JournalRow[] = [];
  const large = new Map<string, Uint8Array>();
  for await (const journalRow of backend.read(runId)) {
    if (journalRow.firstSeq > row.lastSeq) break;
    const records = reader.unpack(journalRow);
    if (reader.mentionsBlobs)
      for (const hash of blobHashesOf(records))
        if (!large.has(hash)) large.set(hash, await blobBytes(backend, runId, hash));
    rows.push({ ...journalRow, bytes: new Uint8Array(journalRow.bytes) });
  }
  reader.finish(row.lastSeq, row.chain);
  return { row, rows, notes, blobs: [...large.keys()].sort(), large };
}

async function* linesOf(
  backend: Backend,
  { row, rows, notes, blobs, large }: Exportable,
  told: Told,
  sealer: Sealer,
): AsyncGenerator<string, void, undefined> {
  for (const hash of blobs) {
    if (told.blobs.has(hash)) continue;
    told.blobs.add(hash);
    yield sealer.seal({ blob: hash, ...contentOf(large.get(hash)!) });
  }
  for (const { thread, n, runId, whole, bytes } of await carriedOf(backend, row, told))
    yield sealer.seal({ carried: { thread, n, runId, whole }, ...contentOf(bytes) });
  yield sealer.seal({ run: archived(row), rows: rows.length, notes: notes.length, blobs });
  for (const { firstSeq, count, chain, bytes } of rows)
    yield sealer.seal({ row: [firstSeq, count, chain], ...contentOf(bytes) });
  for (const { kind, key, by, at, handled, bytes } of notes)
    yield sealer.seal({ note: { kind, key, by, at, handled }, ...contentOf(bytes) });
}

/** Field by field, so that their order is the same whichever backend gave the row; labels by name. */
function archived(row: RunRow): ArchivedRun {
  const { id, graph, fingerprint, status, epoch, lastSeq, chain, attempts, wakeAt } = row;
  const { createdAt, updatedAt, endedAt, traceId, thread, carriedUpTo } = row;
  const labels = row.labels === null ? null : sorted(row.labels);
  return {
    id,
    graph,
    fingerprint,
    status,
    epoch,
    lastSeq,
    chain,
    attempts,
    wakeAt,
    createdAt,
    updatedAt,
    endedAt,
    traceId,
    labels,
    thread,
    ...(carriedUpTo !== null && { carriedUpTo }),
  };
}

function sorted(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Rows of its thread that were not told yet. A run that has not ended is exported as it stood, and so is its thread: what
 * it carried on when it ended meanwhile does not belong there, and nothing can follow.
 */
async function carriedOf(
  backend: Backend,
  { thread, carriedUpTo, status }: RunRow,
  { threads }: Told,
): Promise<(CarriedRow & { readonly thread: string })[]> {
  if (thread === null) return [];
  const told = threads.get(thread) ?? 0;
  if (told === whole) return [];
  const ended = endedStatuses.has(status);
  const rows = await allCarried(backend, thread, ended ? undefined : (carriedUpTo ?? undefined));
  threads.set(thread, ended ? Math.max(told, rows.at(-1)?.n ?? 0) : whole);
  return rows.filter(({ n }) => n > told).map((row) => ({ ...row, thread }));
}

/** Nothing more of a thread is told. */
const whole = Infinity;
