import type { Labels } from "../model/tags.ts";
import type { Fenced, FenceRequest } from "./fence.ts";
import type { Note, Post, PostResult, RestoredNote, StoredNote } from "./inbox.ts";
import type { EntryStore } from "./store.ts";
import type { CarriedRow, NewCarriedRow } from "./thread.ts";

/**
 * Everything persistent, as the engine needs it. A backend stores bytes and run rows; it knows nothing of plans,
 * schedulers or values. The contract suite in `testing/backend-contract.ts` decides whether an implementation is right.
 *
 * B1  `create` writes the run row and the first journal row in one transaction, or nothing.
 * B2  `append` is fenced: it changes anything only if the run row has this epoch and this `lastSeq`; then the journal
 *     row, the new `lastSeq`, a status change, handled notes and carried state are one transaction. Otherwise nothing
 *     changes and it answers `lost`.
 * B3  Sequence numbers of a run are contiguous from 1: a row covers `firstSeq .. firstSeq + count - 1`.
 * B4  A promise resolves only after the transaction is durable as the backend was configured.
 * B5  Appends of one run are applied in call order; one run's failure never fails another's append.
 * B6  `claim` gives a run to this owner only if it has no live owner, raises its epoch, and returns only what it took.
 *     An owner lives while its lease lasts, by the clock of the store, never by that of a client; where the store can
 *     prove an owner dead at once, it does. An owner that does not live takes nothing.
 * B7  Reading never changes anything.
 * B8  Rows come back byte for byte; a torn or missing row is visible by B3 or the checksum, never repaired silently.
 * B9  Of all notes with one run, kind and key, `post` keeps the first, whoever posts from wherever; a note that wakes its
 *     run does so in the same transaction, and a run does not come to rest over a note that nobody handled. One that is
 *     `interrupted`, and that a live owner is just taking up, such a note makes due instead (`wakeAt` 0): that one may die
 *     before it wrote that the run goes on.
 * B10 A thread has at most one run that has not ended.
 * B11 Whatever can grow is bounded by who asks: lists have limits, and `prune` works in portions.
 * B13 `snapshotSeq` names a row of the journal, or nothing: it only ever grows, and a restored run begins without.
 * B14 `compact` puts one row in the place of the first ones of a journal, in one transaction, or changes nothing; those
 *     behind stay as they are, so that B3 holds. It needs no ownership: what it takes the place of never changes.
 * B15 `fenceAll` takes every run that has not ended from whoever has it and raises its epoch by `fenceStep`, in one transaction:
 *     what an owner of before says of it after that is fenced (B2). On a server every other owner ends with it, and owners that
 *     open after it create runs with epochs that no run had before, for one of them may have been there, and be begun again.
 * B16 The runs of a thread have an order that no clock has a part in: by `carriedUpTo`, and of those that began with the same
 *     row, as they were created. `list` with a `thread` goes by it.
 * B12 `restore` puts a whole run back in one transaction, or nothing, and never changes what stands.
 */
export interface Backend {
  /** For messages: `sqlite:/data/app.db`, `memory`. No passwords. */
  readonly name: string;
  /** Registers this engine instance as a live owner. Called once, before anything else. */
  open(owner: string): Promise<void>;
  /**
   * False: the lease of this owner may have lapsed, so that nothing may be started on behalf of its runs until it is
   * renewed, or an append says that they are lost. Judged by a monotonic clock, from before the last renewal was sent.
   * Absent: an owner that runs is alive.
   */
  alive?(): boolean;
  /** Calls back when something may have come for this owner: notes, queued runs. A hint: it may be late, or never come. */
  onHint?(listener: () => void): void;
  /**
   * Calls back when rows of that run may have been appended, or what it stands at may have changed, whoever did it, until what
   * is returned is called: for those who follow it. A hint like that of `onHint`; runs that nobody follows cost nothing. Absent:
   * who follows asks from time to time.
   */
  readonly watchRun?: ((runId: string, listener: () => void) => () => void) | undefined;
  /** Epoch of the runs that this owner creates, once it is open. Absent: 1. See B15. */
  readonly firstEpoch?: number | undefined;
  create(run: NewRun): Promise<CreateResult>;
  append(append: Append): Promise<AppendResult>;
  /** Journal rows in order, from the one that holds `fromSeq` (default 1). */
  read(runId: string, fromSeq?: number): AsyncIterable<JournalRow>;
  /**
   * B13. Remembers that the journal row at record `seq` is a snapshot, if there is such a row and none later is known. A hint
   * for whoever reads the journal next: it may be lost. Absent: snapshots are of no use here, and none are written.
   */
  readonly noteSnapshot?: ((runId: string, seq: number) => Promise<void>) | undefined;
  /** B14. Absent: the store keeps all there ever was. */
  readonly compact?: ((request: Compaction) => Promise<CompactResult>) | undefined;
  get(runId: string): Promise<RunRow | undefined>;
  /** Newest first; with a thread, in the order of B16. */
  list(filter?: RunFilter): Promise<RunRow[]>;
  /** Takes over runs that have no live owner; each comes back with its raised epoch and this owner. Oldest first. */
  claim(request: ClaimRequest): Promise<RunRow[]>;
  /**
   * Gives up ownership without touching the journal, at no cost of an attempt; ignored when the epoch is no longer ours.
   * `unbegun`: nothing of the run was gone on with since it was claimed, so that the deaths before still count and it stays
   * held back: that a run could not be taken up does not make it a healthy one.
   */
  release(runId: string, epoch: number, unbegun?: boolean): Promise<void>;
  /** B9. `refused`: there is no such run, or it has ended. */
  post(post: Post): Promise<PostResult>;
  /** Notes of a run that nobody handled, oldest first. */
  inbox(runId: string): Promise<Note[]>;
  /** Runs of this owner that have such notes, at most `limit`. */
  arrivals(limit: number): Promise<string[]>;
  /**
   * Takes an unhandled note away, so that another one with its key may come. It is named by its id: said twice, after a
   * reply that was lost, it must not take the other one away.
   */
  reject(runId: string, id: number): Promise<void>;
  /** All notes of a run, handled or not, oldest first. */
  notes(runId: string): Promise<StoredNote[]>;
  /** B12 */
  restore(run: RestoredRun): Promise<RestoreResult>;
  /**
   * Makes a run that has not ended and has no live owner `queued`, for whichever engine comes first; its `attempts` begin
   * at 0. False: it is not there, has ended, or is somebody's.
   */
  requeue(runId: string, at: number): Promise<boolean>;
  /**
   * B15. For a store that was put back as it stood earlier, before anybody goes on with it. `attempts` begin at 0; without
   * `resume` also `wakeAt` goes, and every run waits for somebody who names it. Done twice, it raises the epochs twice.
   */
  fenceAll(request: FenceRequest): Promise<Fenced>;
  /** Those of these owners that live. Like a claim it may find out that one is dead, and changes no run. */
  living(owners: readonly string[]): Promise<string[]>;
  /**
   * What earlier runs of a thread carried on, in order, from the last whole one on; `upTo`: as it was when that row was
   * the last. `from`: of these only the ones from that row on, for who knows those before.
   */
  carried(thread: string, upTo?: number, from?: number): Promise<CarriedRow[]>;
  /**
   * Stores bytes under their content hash, durable before it resolves. Storing twice is harmless, and makes the blob as
   * young as a new one: the row that will name it may be on its way.
   */
  putBlob(hash: string, bytes: Uint8Array): Promise<void>;
  getBlob(hash: string): Promise<Uint8Array | undefined>;
  /**
   * Deletes runs that ended, with all that belongs to them alone, and blobs that nothing names. Of the threads of these runs
   * also the carried rows before the last whole one that any run that is left, or the next one, is read from.
   */
  prune(request: PruneRequest): Promise<Pruned>;
  stats(): Promise<BackendStats>;
  /** Memory that runs share; usable while the backend is open. Absent: there is none. */
  readonly store?: EntryStore | undefined;
  /** Flushes, gives up all runs of the owner as `release` does, and its lease, and closes. Safe to call twice. */
  close(): Promise<void>;
}

/** Where a run can stand. */
export const runStatuses = [
  "queued",
  "running",
  "interrupted",
  "drained",
  "completed",
  "failed",
  "cancelled",
  "discarded",
  "quarantined",
  "needs_review",
] as const;

export type RunStatus = (typeof runStatuses)[number];

/** A run that stands in one of these never changes again. */
export const endedStatuses: ReadonlySet<RunStatus> = new Set<RunStatus>([
  "completed",
  "failed",
  "cancelled",
  "discarded",
]);

/** All others. */
export const openStatuses: readonly RunStatus[] = runStatuses.filter((status) => !endedStatuses.has(status));

export interface RunRow {
  readonly id: string;
  readonly graph: string;
  readonly fingerprint: string;
  readonly status: RunStatus;
  /** Engine instance that runs it, or null. */
  readonly owner: string | null;
  /** Raised by every claim; starts at 1. */
  readonly epoch: number;
  readonly lastSeq: number;
  /** Checksum chain after `lastSeq`. */
  readonly chain: number;
  /** How many owners in a row died over it; see `ClaimRequest`. */
  readonly attempts: number;
  /** When a run at rest goes on by itself, milliseconds since 1970, UTC; null: it waits for somebody. */
  readonly wakeAt: number | null;
  /** Milliseconds since 1970, UTC. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  /** The caller's; null: none was given. Set when the run is created, and never changed. */
  readonly traceId: string | null;
  readonly labels: Labels | null;
  readonly thread: string | null;
  /** Of a run in a thread: the last carried row when it was created, 0 for none; else null. */
  readonly carriedUpTo: number | null;
  /** The last snapshot that was noted; absent: none. */
  readonly snapshotSeq?: number | undefined;
}

export interface NewRun {
  readonly id: string;
  readonly graph: string;
  readonly fingerprint: string;
  readonly createdAt: number;
  readonly traceId?: string | null | undefined;
  /** Any strings, without NUL and lone surrogates. */
  readonly labels?: Labels | null | undefined;
  /** B10 */
  readonly thread?: string | null | undefined;
  /** The last carried row of the thread that the creator knows; absent: whatever is the last. */
  readonly carriedUpTo?: number | undefined;
  /** The newest run of the thread that the creator knows, by its id; null: it has none. Absent: whichever is the newest. See B16. */
  readonly follows?: string | null | undefined;
  readonly first: JournalRow;
  /** Hashes of the blobs that the row names. */
  readonly blobs?: readonly string[] | undefined;
}

/**
 * The new run is `running`, and the creator's. `exists`: the id is taken; nothing was written and `row` is what stands
 * there. `busy`: B10, and `row` is the run that has not ended. `moved`: the last carried row of the thread, or its newest run, is another one.
 */
export type CreateResult =
  | { readonly type: "created" }
  | { readonly type: "exists"; readonly row: RunRow }
  | { readonly type: "busy"; readonly row: RunRow }
  | { readonly type: "moved" };

/** A run as it stood in this or another store, with all that belongs to it. */
export interface RestoredRun {
  /** Its `owner` is not taken over: nobody has the run. Everything else stands as it is here. */
  readonly row: RunRow;
  /** From 1 to the row's `lastSeq`, contiguous. */
  readonly journal: readonly JournalRow[];
  /** Oldest first. */
  readonly notes: readonly RestoredNote[];
  /** Rows of its thread; those that stand already must be the same. */
  readonly carried: readonly CarriedRow[];
  /** Hashes of the blobs that the journal names: stored before. */
  readonly blobs: readonly string[];
}

/**
 * But for `restored` nothing was written. `busy`: B10, or rows of the thread are missing, and a run that has not ended was
 * started without them. `carried`: the thread has another row with that number.
 */
export type RestoreResult =
  | { readonly type: "restored" }
  | { readonly type: "exists"; readonly row: RunRow }
  | { readonly type: "busy"; readonly row: RunRow }
  | { readonly type: "carried"; readonly n: number };

/** Records `firstSeq .. firstSeq + count - 1` of one run, as the bytes of one commit. */
export interface JournalRow {
  readonly firstSeq: number;
  readonly count: number;
  readonly bytes: Uint8Array;
  /** Unsigned 32 bits: checksum over the previous row's chain, `firstSeq`, `count` and `bytes`. */
  readonly chain: number;
}

export interface Append {
  readonly runId: string;
  readonly epoch: number;
  readonly row: JournalRow;
  /**
   * Present when this batch changes the status (terminal, drained, interrupted, running again). A run that would come to
   * rest as `interrupted` over an unhandled note becomes `queued` instead (B9). Every change that is no `release` keeps
   * `attempts`; one that is sets it to 0.
   */
  readonly status?: RunStatus | undefined;
  /** Present when the run goes on with another graph than before, on purpose. */
  readonly fingerprint?: string | undefined;
  /** Owner is given up in the same transaction (the run ended, drained or parked). */
  readonly release?: boolean | undefined;
  /** With a status: what `wakeAt` becomes; absent: null. */
  readonly wakeAt?: number | null | undefined;
  /** Notes that the records took up; they are handled from now on. */
  readonly handled?: readonly Pick<Note, "kind" | "key">[] | undefined;
  /** What the run leaves to the next one of its thread; of a run without a thread, nothing. */
  readonly carry?: NewCarriedRow | undefined;
  /** Hashes of the blobs that the row names. */
  readonly blobs?: readonly string[] | undefined;
  /** Wall clock of the writer, for `updatedAt`. */
  readonly at: number;
}

/** `lost`: another owner took the run, or `lastSeq` is not what this writer believes. */
export type AppendResult = { readonly type: "ok" } | { readonly type: "lost"; readonly row: RunRow | undefined };

export interface RunFilter {
  readonly status?: readonly RunStatus[] | undefined;
  readonly graph?: string | undefined;
  readonly thread?: string | undefined;
  /** Runs that have all of these, among others. */
  readonly labels?: Labels | undefined;
  /** Runs that were created at this moment or before, milliseconds since 1970: for lists that go on where one ended. */
  readonly createdUntil?: number | undefined;
  /** With a thread: runs whose `carriedUpTo` is this or less: for lists that go on where one ended. */
  readonly carriedUntil?: number | undefined;
  readonly limit?: number | undefined;
}

/**
 * Which runs without a live owner are wanted: those in `statuses`, and with `due` also those at rest whose `wakeAt` has
 * come.
 *
 * A run whose owner died over it (it still names one) comes back with `attempts` one higher; one that was released does
 * not. A run that came further under its owner (by more than the record of its being taken up), or that its owner held for
 * more than ten minutes, begins at 1 again: that owner did not die of it. After the second such death in a row nobody
 * but who names it by `runId` gets it within a second of the take-over, and twice as long each time, up to five minutes.
 */
export interface ClaimRequest {
  readonly statuses: readonly RunStatus[];
  readonly due?: boolean | undefined;
  /** Only this run; then `attempts` begins at 0, and no time is held back. */
  readonly runId?: string | undefined;
  /** Only runs of these graphs; a fingerprint, where it is given, must be the run's. */
  readonly graphs?: readonly HeldGraph[] | undefined;
  /** Not these runs: the caller tried them and could not read them. At most some hundreds. */
  readonly except?: readonly string[] | undefined;
  readonly limit: number;
  /** Wall clock of who asks, for `updatedAt`, `due` and times held back. */
  readonly at: number;
  /**
   * A run over which more owners than this died in a row becomes `quarantined`: it comes back with that status and no
   * owner, and is not taken. Default: no limit.
   */
  readonly maxAttempts?: number | undefined;
}

export interface HeldGraph {
  readonly graph: string;
  readonly fingerprint?: string | undefined;
}

/** A claim holds a run back for this long after the given number of deaths in a row. */
export function holdBackMs(attempts: number): number {
  return attempts < 2 ? 0 : Math.min(1_000 * 2 ** (attempts - 2), 300_000);
}

/** An owner that lived this long over a run did not die of it at once: the count begins anew. */
export const longLifeMs = 600_000;

export interface Compaction {
  readonly runId: string;
  /** For all records up to `count`; its `firstSeq` is 1. */
  readonly row: JournalRow;
  /** Hashes of blobs that no row which is left names: the run names them no more, so that `prune` may delete them. */
  readonly forget: readonly string[];
  /** The last record when `forget` was found out. */
  readonly lastSeq: number;
}

/**
 * But for `compacted` nothing was written. `moved`: blobs are to be forgotten, and the run went on since. `refused`: there is no
 * such run, or no row begins behind the last record that is to go.
 */
export interface CompactResult {
  readonly type: "compacted" | "moved" | "refused";
}

export interface PruneRequest {
  /** Runs that ended before this moment, milliseconds since 1970, UTC. */
  readonly endedBefore: number;
  /** Only these; default: all that have ended. One that has not ended is never deleted. */
  readonly statuses?: readonly RunStatus[] | undefined;
  readonly graph?: string | undefined;
  /** Only runs of this thread; when no run of it is left then, what it carries goes too, and it is as if it had never been. */
  readonly thread?: string | undefined;
  /** At most so many runs in this call. */
  readonly limit: number;
  /** Blobs are kept that were stored after this moment: the row that names them may be on its way. */
  readonly blobsBefore: number;
}

/** `runs` smaller than the limit: nothing is left to prune. */
export interface Pruned {
  readonly runs: number;
  readonly blobs: number;
}

export interface BackendStats {
  readonly runs: Readonly<Partial<Record<RunStatus, number>>>;
  readonly journalRows: number;
  readonly journalBytes: number;
  readonly blobs: number;
  readonly blobBytes: number;
  /** Notes that nobody handled. */
  readonly notes: number;
  readonly threads: number;
  /** Of the store, also such as have expired and are not deleted yet; absent: it has none. */
  readonly entries?: number | undefined;
  readonly entryBytes?: number | undefined;
  /** Owners that live. */
  readonly owners: number;
  /** Of the whole store, on disk; null: unknown. */
  readonly bytes: number | null;
  readonly schemaVersion: number;
}
