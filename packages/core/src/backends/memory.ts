import { errorOf, type MillraceError } from "../base/error.ts";
import {
  endedStatuses,
  type Append,
  type AppendResult,
  type Backend,
  type BackendStats,
  type ClaimRequest,
  type Compaction,
  type CompactResult,
  type CreateResult,
  type JournalRow,
  type NewRun,
  type PruneRequest,
  type Pruned,
  type RestoredRun,
  type RestoreResult,
  type RunFilter,
  type RunRow,
  type RunStatus,
} from "../ports/backend.ts";
import type { Fenced, FenceRequest } from "../ports/fence.ts";
import type { Note, Post, PostResult, StoredNote } from "../ports/inbox.ts";
import { checkJournal, checkRow } from "../ports/row-checks.ts";
import { systemClock } from "../ports/system.ts";
import type { EntryStore } from "../ports/store.ts";
import type { CarriedRow } from "../ports/thread.ts";
import { carriedOf, hasMoved, lastCarried } from "./memory/carried.ts";
import { claim } from "./memory/claim.ts";
import { compact, noteSnapshot } from "./memory/compact.ts";
import { memoryEntries } from "./memory/entries.ts";
import { fenceAll } from "./memory/fence.ts";
import { handle, post, reject, unhandled } from "./memory/inbox.ts";
import { list } from "./memory/list.ts";
import { prune, stats } from "./memory/prune.ts";
import { requeue } from "./memory/requeue.ts";
import { activeIn, restore } from "./memory/restore.ts";
import { checkId, copyBytes, copyNote, copyRow, hint, newStore } from "./memory/store.ts";
import type { Store, StoredRun } from "./memory/store.ts";

/**
 * A backend whose store lives in this process and ends with it. For tests, browsers and runs nobody needs to resume
 * after a crash; the semantics are those of the other backends (fencing, ownership, copies of bytes).
 */
export interface MemoryBackend extends Backend {
  /** Another handle on the same store, for a second engine. */
  another(): MemoryBackend;
  /** This handle's owner dies as in a crash: nothing is released, but others may claim its runs. For tests. */
  abandon(): Promise<void>;
  /**
   * The owner of an abandoned handle lives again, as one whose lease is renewed after it had lapsed: what nobody took is
   * still its own. For tests.
   */
  revive(): Promise<void>;
}

/** A new, empty store and the first handle on it. */
export function memory(): MemoryBackend {
  return new MemoryHandle(newStore());
}

class MemoryHandle implements MemoryBackend {
  readonly name: string = "memory";
  readonly store: EntryStore;
  readonly #store: Store;
  readonly #listeners: Set<() => void> = new Set();
  #owner: string | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.store = memoryEntries(store.entries, () => void this.#requireOwner());
  }

  another(): MemoryBackend {
    return new MemoryHandle(this.#store);
  }

  async abandon(): Promise<void> {
    if (this.#owner === undefined) return;
    this.#store.liveOwners.delete(this.#owner);
    for (const listener of this.#listeners) this.#store.listeners.delete(listener);
  }

  async revive(): Promise<void> {
    this.#live(this.#requireOwner());
  }

  #live(owner: string): void {
    this.#store.liveOwners.add(owner);
    for (const listener of this.#listeners) this.#store.listeners.add(listener);
  }

  async open(owner: string): Promise<void> {
    if (this.#owner !== undefined) throw alreadyOpen(this.#owner);
    if (this.#store.liveOwners.has(owner)) throw ownerInUse(owner);
    for (const run of this.#store.runs.values()) {
      if (run.row.owner === owner) run.row = { ...run.row, owner: null };
    }
    this.#owner = owner;
    this.#live(owner);
  }

  onHint(listener: () => void): void {
    this.#listeners.add(listener);
    if (this.#owner !== undefined) this.#store.listeners.add(listener);
  }

  watchRun(runId: string, listener: () => void): () => void {
    return this.#store.watchers.add(runId, listener);
  }

  async create(run: NewRun): Promise<CreateResult> {
    const owner = this.#requireOwner();
    checkId(run.id);
    checkRow(run.first, 1);
    const standing = this.#store.runs.get(run.id);
    if (standing !== undefined) return { type: "exists", row: standing.row };
    const busy = activeIn(this.#store, run.thread ?? null);
    if (busy !== undefined) return { type: "busy", row: busy };
    const carriedUpTo = typeof run.thread !== "string" ? null : lastCarried(this.#store, run.thread);
    if (hasMoved(this.#store, run)) return { type: "moved" };
    this.#store.runs.set(run.id, {
      row: { ...newRow(run, owner), carriedUpTo },
      journal: [copyRow(run.first)],
      notes: [],
      blobs: new Set(run.blobs),
      claimedAt: run.createdAt,
      claimedSeq: run.first.count,
      holdUntil: 0,
    });
    return { type: "created" };
  }

  async noteSnapshot(runId: string, seq: number): Promise<void> {
    this.#requireOwner();
    noteSnapshot(this.#store, runId, seq);
  }

  async compact(request: Compaction): Promise<CompactResult> {
    this.#requireOwner();
    return compact(this.#store, request);
  }

  async append(append: Append): Promise<AppendResult> {
    this.#requireOwner();
    checkRow(append.row, append.row.firstSeq);
    const run = this.#store.runs.get(append.runId);
    if (run === undefined || run.row.epoch !== append.epoch || run.row.lastSeq !== append.row.firstSeq - 1) {
      return { type: "lost", row: run?.row };
    }
    run.journal.push(copyRow(append.row));
    for (const hash of append.blobs ?? []) run.blobs.add(hash);
    handle(run, append.handled ?? []);
    run.row = advanced(run, append);
    if (append.carry !== undefined) this.#carryOn(run.row, append.carry.whole, append.carry.bytes);
    if (run.row.status === "queued") hint(this.#store);
    this.#store.watchers.tell(append.runId);
    return { type: "ok" };
  }

  #carryOn({ thread, id }: RunRow, whole: boolean, bytes: Uint8Array): void {
    if (thread === null) return;
    const rows = this.#store.carried.get(thread) ?? [];
    rows.push({ n: lastCarried(this.#store, thread) + 1, runId: id, whole, bytes: copyBytes(bytes) });
    this.#store.carried.set(thread, rows);
  }

  async *read(runId: string, fromSeq = 1): AsyncIterable<JournalRow> {
    this.#requireOwner();
    const journal = this.#store.runs.get(runId)?.journal ?? [];
    for (const row of journal) {
      if (row.firstSeq + row.count > fromSeq) yield copyRow(row);
    }
  }

  async get(runId: string): Promise<RunRow | undefined> {
    this.#requireOwner();
    return this.#store.runs.get(runId)?.row;
  }

  async list(filter: RunFilter = {}): Promise<RunRow[]> {
    this.#requireOwner();
    return list(this.#store, filter);
  }

  async claim(request: ClaimRequest): Promise<RunRow[]> {
    const owner = this.#requireOwner();
    return this.#store.liveOwners.has(owner) ? claim(this.#store, owner, request) : [];
  }

  async release(runId: string, epoch: number, unbegun = false): Promise<void> {
    const owner = this.#requireOwner();
    const run = this.#store.runs.get(runId);
    if (run?.row.epoch !== epoch || run.row.owner !== owner) return;
    run.row = { ...run.row, owner: null, attempts: unbegun ? run.row.attempts : 0 };
    if (!unbegun) run.holdUntil = 0;
    hint(this.#store);
  }

  async post(note: Post): Promise<PostResult> {
    this.#requireOwner();
    return post(this.#store, note);
  }

  async inbox(runId: string): Promise<Note[]> {
    this.#requireOwner();
    return unhandled(this.#store.runs.get(runId));
  }

  async arrivals(limit: number): Promise<string[]> {
    const owner = this.#requireOwner();
    return [...this.#store.runs.values()]
      .filter((run) => run.row.owner === owner && unhandled(run).length > 0)
      .slice(0, Math.max(0, limit))
      .map(({ row }) => row.id);
  }

  async reject(runId: string, id: number): Promise<void> {
    this.#requireOwner();
    reject(this.#store.runs.get(runId), id);
  }

  async notes(runId: string): Promise<StoredNote[]> {
    this.#requireOwner();
    const notes = this.#store.runs.get(runId)?.notes ?? [];
    return notes.map(({ note, handled }) => ({ ...copyNote(note), handled }));
  }

  async restore(run: RestoredRun): Promise<RestoreResult> {
    this.#requireOwner();
    checkId(run.row.id);
    checkJournal(run);
    return restore(this.#store, run);
  }

  async requeue(runId: string, at: number): Promise<boolean> {
    this.#requireOwner();
    return requeue(this.#store, runId, at);
  }

  async fenceAll(request: FenceRequest): Promise<Fenced> {
    this.#requireOwner();
    return fenceAll(this.#store, request);
  }

  async living(owners: readonly string[]): Promise<string[]> {
    this.#requireOwner();
    return owners.filter((owner) => this.#store.liveOwners.has(owner));
  }

  async carried(thread: string, upTo = Infinity, from = 0): Promise<CarriedRow[]> {
    this.#requireOwner();
    return carriedOf(this.#store, thread, upTo, from);
  }

  async putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    this.#requireOwner();
    const stored = this.#store.blobs.get(hash)?.bytes ?? copyBytes(bytes);
    this.#store.blobs.set(hash, { bytes: stored, storedAt: systemClock.now() });
  }

  async getBlob(hash: string): Promise<Uint8Array | undefined> {
    this.#requireOwner();
    const blob = this.#store.blobs.get(hash);
    return blob === undefined ? undefined : copyBytes(blob.bytes);
  }

  async prune(request: PruneRequest): Promise<Pruned> {
    this.#requireOwner();
    return prune(this.#store, request);
  }

  async stats(): Promise<BackendStats> {
    this.#requireOwner();
    return stats(this.#store);
  }

  async close(): Promise<void> {
    const isAlive = this.#owner !== undefined && this.#store.liveOwners.has(this.#owner);
    if (isAlive) for (const { row } of this.#store.runs.values()) await this.release(row.id, row.epoch);
    await this.abandon();
    this.#owner = undefined;
  }

  #requireOwner(): string {
    if (this.#owner === undefined) throw errorOf("BackendNotOpen", { backend: "memory" });
    return this.#owner;
  }
}

function newRow(run: NewRun, owner: string): RunRow {
  const { id, graph, fingerprint, createdAt, traceId = null, labels = null, thread = null } = run;
  const { count, chain } = run.first;
  return {
    id,
    graph,
    fingerprint,
    status: "running",
    owner,
    epoch: 1,
    lastSeq: count,
    chain,
    attempts: 0,
    wakeAt: null,
    createdAt,
    updatedAt: createdAt,
    endedAt: null,
    traceId,
    labels: labels === null || Object.keys(labels).length === 0 ? null : Object.freeze({ ...labels }),
    thread,
    carriedUpTo: null,
  };
}

/** The row after the append. */
function advanced(run: StoredRun, append: Append): RunRow {
  const { row, at, release = false, fingerprint = run.row.fingerprint } = append;
  const { firstSeq, count, chain } = row;
  const moved = { ...run.row, lastSeq: firstSeq + count - 1, chain, updatedAt: at, fingerprint };
  const kept = release ? { ...moved, owner: null, attempts: 0 } : moved;
  if (append.status === undefined) return kept;
  const status = settledStatus(run, append.status);
  const wakeAt = status === "queued" ? null : (append.wakeAt ?? null);
  return { ...kept, status, wakeAt, endedAt: endedStatuses.has(status) ? at : null };
}

/** B9: no run comes to rest over a note that nobody handled. */
function settledStatus(run: StoredRun, status: RunStatus): RunStatus {
  return status === "interrupted" && unhandled(run).length > 0 ? "queued" : status;
}

function alreadyOpen(owner: string): MillraceError {
  return errorOf("BackendInUse.memory", { owner });
}

function ownerInUse(owner: string): MillraceError {
  return errorOf("OwnerInUse", { where: "memory", owner });
}
