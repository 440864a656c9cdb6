/**
 * Compaction: the rows of a journal before a snapshot become one row that says what is told of them.
 *
 * CO1  Only what is below a snapshot that is in the journal and whole, and only if no resume would have to read below it: a
 *      generator that is under way there compares its items with those it gave, and a run that went on with another version
 *      of its graph behind it cannot begin there any more.
 * CO2  One transaction of the backend: a process that is killed leaves the journal as it was, or compacted.
 * CO3  Only of a run that nobody drives, or that the caller drives: whoever takes it up meanwhile reads from a snapshot.
 */
import { errorOf } from "../../base/error.ts";
import { RecordKind, type SnapshotHeader } from "../../events/record.ts";
import type { Backend, Compaction, RunRow } from "../../ports/backend.ts";
import { systemSha256 } from "../../ports/system.ts";
import { blobBytes, blobHashesOf, reviverFor } from "../blobs.ts";
import { Fold } from "../fold.ts";
import { graphIn } from "../recorded-graph.ts";
import { journalCorrupt, RowReader, type RawRecord } from "../rows.ts";
import { compactedRow, isCompacted } from "./compacted.ts";

export interface Compacted {
  readonly runId: string;
  /** The first record that is left: the snapshot that stands for all before it. */
  readonly floor: number;
  /** How many records are gone by this; 0: there was nothing to compact. */
  readonly records: number;
}

const encoder = new TextEncoder();

/** A run that goes on is read again so often, before its blobs are left for later. */
const tries = 5;

/**
 * Removes the records of a run before its last snapshot that can stand for them. What it goes on with, its result and its
 * counts stay; history, forks, states and streams of what is gone answer `HistoryCompacted`.
 *
 * @throws MillraceError `RunNotFound`, `NotCompactable`, `JournalCorrupt`
 */
export async function compactRun(backend: Backend, runId: string): Promise<Compacted> {
  const row = await backend.get(runId);
  if (row === undefined) throw errorOf("RunNotFound", { runId, where: backend.name });
  if (row.owner !== null && (await backend.living([row.owner])).length > 0)
    throw errorOf("NotCompactable.owned", { runId, owner: row.owner });
  return compactFreely(backend, runId);
}

/** The same for who drives it, or knows that nobody does. */
export async function compactFreely(backend: Backend, runId: string): Promise<Compacted> {
  if (backend.compact === undefined) throw errorOf("NotCompactable.backend", { runId, backend: backend.name });
  for (let attempt = 1; ; attempt++) {
    const row = await backend.get(runId);
    if (row === undefined) throw errorOf("RunNotFound", { runId, where: backend.name });
    const found = await readThrough(backend, row);
    if (found.floor === found.before) return { runId, floor: found.floor, records: 0 };
    const { type } = await backend.compact(attempt > tries ? { ...found.request, forget: [] } : found.request);
    if (type === "compacted") return { runId, floor: found.floor, records: found.floor - found.before };
    if (type === "refused") throw errorOf("NotCompactable.snapshot", { runId });
  }
}

interface Found {
  readonly floor: number;
  /** The floor as it is: 1, or that of an earlier compaction. */
  readonly before: number;
  readonly request: Compaction;
}

/** A snapshot that may become the floor, with what is told of everything before it. */
interface Candidate {
  readonly floor: number;
  readonly chain: number;
  readonly told: ReturnType<Fold["told"]>;
  readonly snapshot: RawRecord;
}

async function readThrough(backend: Backend, row: RunRow): Promise<Found> {
  const reader = new RowReader(row.id);
  const fold = new Fold(row.id);
  const blobs = new Blobs();
  let before = 1;
  let candidate: Candidate | null = null;
  let open: readonly string[] = [];
  for await (const journalRow of backend.read(row.id)) {
    if (journalRow.firstSeq > row.lastSeq) break;
    const { chain } = reader;
    const records = reader.unpack(journalRow);
    const [first] = records;
    if (isCompacted(first)) before = first[1].floor;
    if (first?.[0] === RecordKind.snapshot) {
      open = (first[1] as SnapshotHeader).rereads;
      if (open.length === 0) {
        candidate = { floor: journalRow.firstSeq, chain, told: fold.told(), snapshot: first };
        blobs.begin(candidate.told.kept);
      }
    }
    if (records.some(isOfOtherGraph)) candidate = null;
    blobs.see(records);
    const revive = await reviverFor(backend, row.id, reader, records);
    for (const record of records) fold.take(record, revive);
  }
  reader.finish(row.lastSeq, row.chain);
  if (candidate === null) throw nothingToBeginAt(row.id, open);
  await checkState(backend, row.id, candidate);
  const { floor, chain, told } = candidate;
  const { kept, ...header } = told;
  const request = {
    runId: row.id,
    row: compactedRow(floor, chain, header, kept),
    forget: blobs.gone(),
    lastSeq: row.lastSeq,
  };
  return { floor, before, request };
}

/** From here on it is another version's run, which no snapshot before can be used with. */
function isOfOtherGraph(record: RawRecord): boolean {
  return record[0] === RecordKind.resumed && graphIn(record) !== undefined;
}

/** As long as the records are there, a damaged state costs nothing but time. */
async function checkState(backend: Backend, runId: string, { floor, snapshot }: Candidate): Promise<void> {
  const [, { hash }, state] = snapshot as [number, SnapshotHeader, unknown];
  const bytes = typeof state === "string" ? encoder.encode(state) : await blobBytes(backend, runId, hash);
  if (systemSha256(bytes) !== hash) throw journalCorrupt(runId, `the state in record ${floor} does not match its hash`);
}

function nothingToBeginAt(runId: string, open: readonly string[]): Error {
  const [path] = open;
  return path === undefined
    ? errorOf("NotCompactable.snapshot", { runId })
    : errorOf("NotCompactable.generator", { runId, path });
}

/** Which blobs are named before the candidate, and which from there on. */
class Blobs {
  readonly #before: Set<string> = new Set();
  #left: Set<string> = new Set();

  /** From here on rows are left, and of those before only `kept`. */
  begin(kept: readonly RawRecord[]): void {
    for (const hash of this.#left) this.#before.add(hash);
    this.#left = new Set(blobHashesOf(kept));
  }

  see(records: readonly RawRecord[]): void {
    for (const hash of blobHashesOf(records)) this.#left.add(hash);
  }

  gone(): string[] {
    return [...this.#before.difference(this.#left)];
  }
}
