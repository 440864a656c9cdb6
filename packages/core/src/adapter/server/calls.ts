import type {
  BackendStats,
  ClaimRequest,
  Compaction,
  CompactResult,
  CreateResult,
  JournalRow,
  NewRun,
  PruneRequest,
  Pruned,
  RestoredRun,
  RestoreResult,
  RunFilter,
} from "../../ports/backend.ts";
import type { Fenced, FenceRequest } from "../../ports/fence.ts";
import type { Note, Post, RestoredNote, StoredNote } from "../../ports/inbox.ts";
import type { Entry, EntryRange, NewEntry } from "../../ports/store.ts";
import type { CarriedRow } from "../../ports/thread.ts";
import type { Failures } from "./failures.ts";
import type { PageLimit } from "./portions.ts";
import type { StoredRow } from "./stored-row.ts";

/** Where a run stands, and what its journal row that starts at a sequence number is, if there is one. */
export interface JournalTail {
  readonly epoch: number;
  readonly lastSeq: number;
  readonly ownerN: number | null;
  readonly createdAt: number;
  readonly count: number | null;
  readonly chain: number | null;
}

/** With the id of the new note. */
export type PostedRow = StoredRow & { readonly noteId: number };

export type ClaimedRow = StoredRow & { readonly n: number };

/**
 * What only the server can do, one try each: `ServerHandle` checks what they are given, tries again, and finds out what became
 * of a try whose answer did not come. Texts are storable: well-formed, without NUL.
 */
export interface ServerCalls {
  /** Run, first journal row, labels and names of blobs, or nothing. Undefined: its id is taken, or its thread busy. */
  insertRun(run: NewRun): Promise<Extract<CreateResult, { type: "created" | "moved" }> | undefined>;
  findRun(id: string): Promise<StoredRow | undefined>;
  /** The run of a thread that has not ended. */
  findActive(thread: string): Promise<StoredRow | undefined>;
  findTail(runId: string, firstSeq: number): Promise<JournalTail | undefined>;
  listRuns(filter: RunFilter): Promise<StoredRow[]>;
  /** The next rows of a journal, from the one that holds `fromSeq`: as many as the limit lets, and one at least. */
  readPage(runId: string, fromSeq: number, most: PageLimit): Promise<JournalRow[]>;

  /** B13 */
  noteSnapshot(runId: string, seq: number): Promise<void>;
  /** B14 */
  compact(request: Compaction): Promise<CompactResult>;

  /** B6. `mark` stands in what it took. */
  claim(request: ClaimRequest, mark: string): Promise<ClaimedRow[]>;
  /** What the claim with this mark took. */
  findClaimed(mark: string): Promise<ClaimedRow[]>;
  /** H3: ends connections of dead owners that hold runs which the request wants. False: there are none. */
  freeHeld(request: ClaimRequest): Promise<boolean>;
  /** `unbegun`: what was counted stands. */
  release(runId: string, epoch: number, unbegun: boolean): Promise<void>;
  requeue(runId: string, at: number): Promise<boolean>;
  /** B15. Ends all other owners, and numbers those to come `fenceStep` higher. */
  fenceAll(request: FenceRequest): Promise<Fenced>;
  findLiving(owners: readonly string[]): Promise<string[]>;

  /** B9. Undefined: the run is not there or has ended, or the note's key is taken. */
  insertNote(post: Post): Promise<PostedRow | undefined>;
  findNote(post: Pick<Note, "runId" | "kind" | "key">): Promise<Note | undefined>;
  /** Unhandled ones, oldest first. */
  findNotes(runId: string): Promise<Note[]>;
  findAllNotes(runId: string): Promise<StoredNote[]>;
  deleteNote(runId: string, id: number): Promise<void>;
  findArrivals(limit: number): Promise<string[]>;

  /** All of the work happens, or, when it throws or says so, nothing of it. `thread`: of the run that is put back. */
  restoring(
    thread: string | null,
    work: (restore: RestoreCalls) => Promise<{ readonly keep: boolean; readonly result: Restored }>,
  ): Promise<Restored>;
  findCarried(thread: string, upTo: number | null, from: number): Promise<CarriedRow[]>;

  putBlob(hash: string, bytes: Uint8Array): Promise<void>;
  getBlob(hash: string): Promise<Uint8Array | undefined>;
  prune(request: PruneRequest): Promise<Pruned>;

  /** Of the store: KV1 to KV6. Each is one statement. */
  findEntry(place: Uint8Array): Promise<Entry | undefined>;
  /** No more bytes than given, unless the first entry alone has more. */
  scanEntries(range: EntryRange, bytes: number): Promise<Entry[]>;
  putEntry(entry: NewEntry): Promise<void>;
  touchEntry(place: Uint8Array): Promise<void>;
  deleteEntry(place: Uint8Array): Promise<void>;
  expireEntries(limit: number): Promise<number>;

  stats(): Promise<BackendStats>;
}

/**
 * The same as an adapter gives them: functions of what an owner has at the server (`Owned`), and of what they are asked.
 */
export type ServerQueries<Owned> = {
  readonly [Name in keyof ServerCalls]: (
    owned: Owned,
    ...asked: Parameters<ServerCalls[Name]>
  ) => ReturnType<ServerCalls[Name]>;
};

/** What calls are made through. */
export interface PatientCalls extends ServerCalls {
  readonly failures: Failures;
  /** Tries again, for as long as this backend is patient, what was lost on its way. */
  attempt<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Undefined: the id of the run is taken, or its thread busy. */
export type Restored = RestoreResult | undefined;

/** Within one transaction. */
export interface RestoreCalls {
  /** A run that nobody owns, its labels and the names of its blobs. Undefined: its id is taken, or its thread busy. */
  insertRun(run: RestoredRun, endedAt: number | null): Promise<number | undefined>;
  /** Rows that stand stay as they are. */
  insertCarried(thread: string, rows: readonly CarriedRow[]): Promise<void>;
  /** Those of the thread with these numbers. */
  findCarried(thread: string, numbers: readonly number[]): Promise<CarriedRow[]>;
  insertJournal(run: number, rows: readonly JournalRow[]): Promise<void>;
  insertNotes(run: number, notes: readonly RestoredNote[]): Promise<void>;
  /** The last word: when it ended, if it has. */
  settle(run: number, endedAt: number | null): Promise<void>;
}
