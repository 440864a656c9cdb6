import { MillraceError, errorOf } from "../../base/error.ts";
import type { Labels } from "../../model/tags.ts";
import type { Backend, JournalRow, RunRow } from "../../ports/backend.ts";
import type { StoredNote } from "../../ports/inbox.ts";
import type { CarriedRow } from "../../ports/thread.ts";
import { allRuns } from "../all-runs.ts";
import { blobHashesOf, blobBytes } from "../blobs.ts";
import { RowReader } from "../rows.ts";
import { archiveVersion, contentOf, Sealer } from "./line.ts";

export interface ExportOptions {
  /** In this order. Default: all runs of the backend, by the time of their creation and their id. */
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
  const told: Told = { blobs: new Set(), threads: new Set() };
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
  readonly threads: Set<string>;
}

interface Exportable {
  readonly row: RunRow;
  readonly rows: readonly JournalRow[];
  readonly notes: readonly StoredNote[];
  readonly blobs: readonly string[];
  readonly large: ReadonlyMap<string, Uint8Array>;
}

async function everyRun(backend: Backend): Promise<string[]> {
  const found: (readonly [createdAt: number, id: string])[] = [];
  for await (const { createdAt, id } of allRuns(backend)) found.push([createdAt, id]);
  return found.sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1)).map(([, id]) => id);
}

async function exportable(
  backend: Backend,
  runId: string,
  damaged: ExportOptions["damaged"],
): Promise<Exportable | undefined> {
  try {
    return await readRun(backend, runId);
  } catch (error) {
    if (damaged === undefined || !(error instanceof MillraceError) || error.code !== "JournalCorrupt") throw error;
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
  const { thread } = row;
  if (thread !== null && !told.threads.has(thread)) {
    told.threads.add(thread);
    for (const { n, runId, whole, bytes } of await allCarried(backend, thread))
      yield sealer.seal({ carried: { thread, n, runId, whole }, ...contentOf(bytes) });
  }
  yield sealer.seal({ run: withoutOwner(row), rows: rows.length, notes: notes.length, blobs });
  for (const { firstSeq, count, chain, bytes } of rows)
    yield sealer.seal({ row: [firstSeq, count, chain], ...contentOf(bytes) });
  for (const { kind, key, by, at, handled, bytes } of notes)
    yield sealer.seal({ note: { kind, key, by, at, handled }, ...contentOf(bytes) });
}

/** Field by field, so that their order is the same whichever backend gave the row; labels by name. */
function withoutOwner(row: RunRow): Omit<RunRow, "owner"> {
  const { id, graph, fingerprint, status, epoch, lastSeq, chain, attempts, wakeAt } = row;
  const { createdAt, updatedAt, endedAt, traceId, thread } = row;
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
  };
}

function sorted(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `carried` gives those from the last whole one on: what was before it is asked for again. */
async function allCarried(backend: Backend, thread: string): Promise<CarriedRow[]> {
  let rows = await backend.carried(thread);
  for (let first = rows[0]; first !== undefined && first.n > 1; first = rows[0])
    rows = [...(await backend.carried(thread, first.n - 1)), ...rows];
  return rows;
}
