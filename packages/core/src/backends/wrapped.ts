import type {
  Append,
  AppendResult,
  Backend,
  BackendStats,
  ClaimRequest,
  CompactResult,
  CreateResult,
  JournalRow,
  NewRun,
  PruneRequest,
  Pruned,
  RestoredRun,
  RestoreResult,
  RunFilter,
  RunRow,
} from "../ports/backend.ts";
import type { Fenced, FenceRequest } from "../ports/fence.ts";
import type { Note, Post, PostResult, StoredNote } from "../ports/inbox.ts";
import type { EntryStore } from "../ports/store.ts";
import type { CarriedRow } from "../ports/thread.ts";

/**
 * A backend that hands every call on to another one: for those that change a few of them, to encrypt, to count, or to
 * break on purpose.
 */
export class WrappedBackend implements Backend {
  readonly inner: Backend;

  constructor(inner: Backend) {
    this.inner = inner;
  }

  get name(): string {
    return this.inner.name;
  }

  open(owner: string): Promise<void> {
    return this.inner.open(owner);
  }

  alive(): boolean {
    return this.inner.alive?.() ?? true;
  }

  onHint(listener: () => void): void {
    this.inner.onHint?.(listener);
  }

  get watchRun(): Backend["watchRun"] {
    return this.inner.watchRun?.bind(this.inner);
  }

  get firstEpoch(): number | undefined {
    return this.inner.firstEpoch;
  }

  create(run: NewRun): Promise<CreateResult> {
    return this.inner.create(run);
  }

  append(append: Append): Promise<AppendResult> {
    return this.inner.append(append);
  }

  /** Absent where the inner one has none. */
  get noteSnapshot(): Backend["noteSnapshot"] {
    const { inner } = this;
    return inner.noteSnapshot === undefined
      ? undefined
      : (runId, seq) => inner.noteSnapshot?.(runId, seq) as Promise<void>;
  }

  get compact(): Backend["compact"] {
    const { inner } = this;
    return inner.compact === undefined ? undefined : (request) => inner.compact?.(request) as Promise<CompactResult>;
  }

  read(runId: string, fromSeq?: number): AsyncIterable<JournalRow> {
    return this.inner.read(runId, fromSeq);
  }

  get(runId: string): Promise<RunRow | undefined> {
    return this.inner.get(runId);
  }

  list(filter?: RunFilter): Promise<RunRow[]> {
    return this.inner.list(filter);
  }

  claim(request: ClaimRequest): Promise<RunRow[]> {
    return this.inner.claim(request);
  }

  release(runId: string, epoch: number, unbegun?: boolean): Promise<void> {
    return this.inner.release(runId, epoch, unbegun);
  }

  post(post: Post): Promise<PostResult> {
    return this.inner.post(post);
  }

  inbox(runId: string): Promise<Note[]> {
    return this.inner.inbox(runId);
  }

  arrivals(limit: number): Promise<string[]> {
    return this.inner.arrivals(limit);
  }

  reject(runId: string, id: number): Promise<void> {
    return this.inner.reject(runId, id);
  }

  notes(runId: string): Promise<StoredNote[]> {
    return this.inner.notes(runId);
  }

  restore(run: RestoredRun): Promise<RestoreResult> {
    return this.inner.restore(run);
  }

  requeue(runId: string, at: number): Promise<boolean> {
    return this.inner.requeue(runId, at);
  }

  fenceAll(request: FenceRequest): Promise<Fenced> {
    return this.inner.fenceAll(request);
  }

  living(owners: readonly string[]): Promise<string[]> {
    return this.inner.living(owners);
  }

  carried(thread: string, upTo?: number, from?: number): Promise<CarriedRow[]> {
    return this.inner.carried(thread, upTo, from);
  }

  putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    return this.inner.putBlob(hash, bytes);
  }

  getBlob(hash: string): Promise<Uint8Array | undefined> {
    return this.inner.getBlob(hash);
  }

  prune(request: PruneRequest): Promise<Pruned> {
    return this.inner.prune(request);
  }

  stats(): Promise<BackendStats> {
    return this.inner.stats();
  }

  get store(): EntryStore | undefined {
    return this.inner.store;
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}
