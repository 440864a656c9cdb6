/** Reads the lines of an archive and refuses whatever is not exactly what `exportRuns` wrote. */
import { errorOf, MillraceError } from "../../base/error.ts";
import { runStatuses, type JournalRow, type RestoredRun, type RunRow } from "../../ports/backend.ts";
import { noteKinds, type RestoredNote } from "../../ports/inbox.ts";
import { systemSha256 } from "../../ports/system.ts";
import type { CarriedRow } from "../../ports/thread.ts";
import { RowReader } from "../rows.ts";
import { archiveVersion, bytesOf, Unsealer, type ArchivedRun, type ArchiveLine } from "./line.ts";

/** A blob comes before the runs that name it. */
export type ArchiveEntry =
  | { readonly type: "blob"; readonly hash: string; readonly bytes: Uint8Array }
  | { readonly type: "run"; readonly run: RestoredRun };

/** @throws MillraceError `ArchiveDamaged` with the line, `ArchiveTooNew` */
export async function* readArchive(lines: AsyncIterable<string>): AsyncGenerator<ArchiveEntry, void, undefined> {
  const reader = new ArchiveReader();
  for await (const line of lines) {
    const entry = reader.read(line);
    if (entry !== undefined) yield entry;
  }
  reader.finish();
}

type RunLine = Extract<ArchiveLine, { readonly run: unknown }>;
type RowLine = Extract<ArchiveLine, { readonly row: unknown }>;
type NoteLine = Extract<ArchiveLine, { readonly note: unknown }>;
type CarriedLine = Extract<ArchiveLine, { readonly carried: unknown }>;
type BlobLine = Extract<ArchiveLine, { readonly blob: unknown }>;

/** A run whose rows and notes are being read. */
interface Gathering {
  readonly line: RunLine;
  readonly reader: RowReader;
  readonly journal: JournalRow[];
  readonly notes: RestoredNote[];
}

class ArchiveReader {
  readonly #unsealer: Unsealer = new Unsealer();
  readonly #threads: Map<string, CarriedRow[]> = new Map();
  readonly #blobs: Set<string> = new Set();
  readonly #runs: Set<string> = new Set();
  #gathering: Gathering | undefined;
  #ended = false;

  read(text: string): ArchiveEntry | undefined {
    const line = this.#unsealer.unseal(text);
    try {
      return this.#unsealer.line === 1 ? this.#head(line) : this.#take(line);
    } catch (error) {
      if (error instanceof MillraceError && error.code.startsWith("Archive")) throw error;
      throw this.#unsealer.damaged(error instanceof Error ? error.message.split("\n")[0]! : String(error), error);
    }
  }

  finish(): void {
    if (!this.#ended) throw this.#unsealer.damaged("the archive ends here, before its last line");
  }

  #head(line: ArchiveLine): undefined {
    if (!("archive" in line) || line.archive !== "millrace") throw this.#unsealer.damaged("this is no archive of runs");
    if (line.version > archiveVersion) throw errorOf("ArchiveTooNew", { version: line.version, known: archiveVersion });
  }

  #take(line: ArchiveLine): ArchiveEntry | undefined {
    if (this.#ended) throw new Error("nothing may follow the last line");
    if (this.#gathering !== undefined) return this.#gather(this.#gathering, line);
    if ("blob" in line) return this.#blob(line);
    if ("carried" in line) return this.#carried(line);
    if ("run" in line) return this.#begin(line);
    if (!("end" in line)) throw new Error("it belongs to no run");
    if (line.end.runs !== this.#runs.size)
      throw new Error(`the archive has ${this.#runs.size} runs, and says ${line.end.runs}`);
    this.#ended = true;
    return undefined;
  }

  #blob(line: BlobLine): ArchiveEntry {
    const bytes = bytesOf(line);
    if (systemSha256(bytes) !== line.blob) throw new Error(`the blob ${line.blob} does not match its name`);
    this.#blobs.add(line.blob);
    return { type: "blob", hash: line.blob, bytes };
  }

  #carried(line: CarriedLine): undefined {
    const { thread, n, runId, whole } = line.carried;
    const rows = this.#threads.get(thread) ?? [];
    const next = (rows.at(-1)?.n ?? 0) + 1;
    // Those before a whole one may have been pruned where it comes from.
    if (n !== next && !(whole && rows.length === 0))
      throw new Error(`row ${next} of thread ${JSON.stringify(thread)} is missing`);
    rows.push({ n, runId, whole, bytes: bytesOf(line) });
    this.#threads.set(thread, rows);
  }

  #begin(line: RunLine): undefined {
    checkRunRow(line.run);
    const { id } = line.run;
    if (this.#runs.has(id)) throw new Error(`run ${id} stands in the archive twice`);
    for (const hash of line.blobs)
      if (!this.#blobs.has(hash)) throw new Error(`the blob ${hash} of run ${id} is missing`);
    if (line.rows < 1) throw new Error(`run ${id} has no journal`);
    this.#runs.add(id);
    this.#gathering = { line, reader: new RowReader(id), journal: [], notes: [] };
  }

  #gather(gathering: Gathering, line: ArchiveLine): ArchiveEntry | undefined {
    const { journal, notes } = gathering;
    const { rows, notes: wanted } = gathering.line;
    if (journal.length < rows) takeRow(gathering, line);
    else takeNote(gathering, line);
    if (journal.length < rows || notes.length < wanted) return undefined;
    const { carriedUpTo = null, ...rest } = gathering.line.run;
    const row: RunRow = { ...rest, carriedUpTo, owner: null };
    gathering.reader.finish(row.lastSeq, row.chain);
    this.#gathering = undefined;
    const carried = row.thread === null ? [] : (this.#threads.get(row.thread) ?? []);
    return { type: "run", run: { row, journal, notes, carried, blobs: gathering.line.blobs } };
  }
}

function takeRow({ line: { run }, reader, journal }: Gathering, line: ArchiveLine): void {
  if (!("row" in line)) throw new Error(`a row of run ${run.id} is missing`);
  const [firstSeq, count, chain] = (line satisfies RowLine).row;
  const row = { firstSeq, count, chain, bytes: bytesOf(line) };
  reader.unpack(row);
  journal.push(row);
}

function takeNote({ line: { run }, notes }: Gathering, line: ArchiveLine): void {
  if (!("note" in line)) throw new Error(`a note of run ${run.id} is missing`);
  const { kind, key, by, at, handled } = (line satisfies NoteLine).note;
  if (!noteKinds.includes(kind)) throw new Error(`there is no kind of note ${JSON.stringify(kind)}`);
  notes.push({ runId: run.id, kind, key, by, at, handled, bytes: bytesOf(line) });
}

const numbers = ["epoch", "lastSeq", "chain", "attempts", "createdAt", "updatedAt"] as const;
const texts = ["id", "graph", "fingerprint"] as const;

/** What a backend is given must be what its columns hold. */
function checkRunRow(row: ArchivedRun): void {
  for (const name of numbers) if (!Number.isSafeInteger(row[name])) throw new Error(`${name} of the run is no number`);
  for (const name of texts) if (typeof row[name] !== "string") throw new Error(`${name} of the run is no text`);
  for (const name of ["wakeAt", "endedAt"] as const)
    if (row[name] !== null && !Number.isSafeInteger(row[name])) throw new Error(`${name} of the run is no number`);
  for (const name of ["traceId", "thread"] as const)
    if (row[name] !== null && typeof row[name] !== "string") throw new Error(`${name} of the run is no text`);
  if (!runStatuses.includes(row.status)) throw new Error(`there is no status ${JSON.stringify(row.status)}`);
  checkCarriedUpTo(row);
}

function checkCarriedUpTo({ thread, carriedUpTo }: ArchivedRun): void {
  if (carriedUpTo === undefined) return;
  if (!Number.isSafeInteger(carriedUpTo)) throw new Error("carriedUpTo of the run is no number");
  if (thread === null) throw new Error("the run has carriedUpTo and no thread");
}
