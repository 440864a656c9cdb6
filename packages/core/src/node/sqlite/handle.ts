import { Opened } from "../../adapter/handle/opened.ts";
import { readPages } from "../../adapter/handle/read-pages.ts";
import { checkId } from "../../adapter/handle/texts.ts";
import { errorOf } from "../../base/error.ts";
import type {
  Append,
  AppendResult,
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
  RunRow,
} from "../../ports/backend.ts";
import type { Fenced, FenceRequest } from "../../ports/fence.ts";
import type { Note, Post, PostResult, StoredNote } from "../../ports/inbox.ts";
import { checkJournal, checkRow } from "../../ports/row-checks.ts";
import type { EntryStore } from "../../ports/store.ts";
import type { CarriedRow } from "../../ports/thread.ts";
import { Channel } from "./channel.ts";
import { SqliteEntries } from "./entries.ts";
import { Hints } from "./hints.ts";
import { sendAppend } from "./send-append.ts";
import { sendRestore } from "./send-restore.ts";
import type { SqliteSettings, SqliteSizes, WorkerOptions } from "./protocol.ts";
import type { SqliteBackend } from "./sqlite.ts";
import { unpackPage } from "./unpack-page.ts";

const appended: AppendResult = { type: "ok" };

/** The main thread's half: checks what can be checked here, and sends the rest through the channel. */
export class SqliteHandle implements SqliteBackend {
  readonly name: string;
  readonly store: EntryStore;
  readonly #options: WorkerOptions;
  readonly #hints: Hints = new Hints();
  readonly #opened: Opened<Channel>;
  #settings: SqliteSettings | undefined;

  constructor(options: WorkerOptions) {
    this.name = `sqlite:${options.file}`;
    this.#options = options;
    this.#opened = new Opened(this.name);
    this.store = new SqliteEntries(() => this.#open());
  }

  async open(owner: string): Promise<void> {
    await this.#opened.open(
      () => this.#start(owner),
      (channel) => {
        if (this.#hints.open(this.settings().file)) watch(channel);
      },
      "BackendInUse",
    );
  }

  settings(): SqliteSettings {
    if (this.#settings === undefined) throw errorOf("BackendNotOpen", { backend: this.name });
    return this.#settings;
  }

  onHint(listener: () => void): void {
    this.#hints.add(listener);
    const channel = this.#opened.peek();
    if (channel !== undefined) watch(channel);
  }

  watchRun(runId: string, listener: () => void): () => void {
    const channel = this.#opened.peek();
    if (channel !== undefined) watch(channel);
    return this.#hints.watchers.add(runId, listener);
  }

  async create(run: NewRun): Promise<CreateResult> {
    const { id, graph, fingerprint, createdAt, first, traceId = null, labels = null, thread = null, blobs } = run;
    const { carriedUpTo, follows } = run;
    checkId(id);
    checkRow(first, 1);
    const { firstSeq, count, chain, bytes } = first;
    const columns = { id, graph, fingerprint, createdAt, traceId, labels, thread, carriedUpTo, follows, blobs };
    return this.#open().ask("create", { run: columns, first: { firstSeq, count, chain } }, bytes);
  }

  async append(append: Append): Promise<AppendResult> {
    checkRow(append.row, append.row.firstSeq);
    const result = (await sendAppend(this.#open(), append)) ?? appended;
    this.#hints.appended(append.runId);
    return result;
  }

  read(runId: string, fromSeq = 1): AsyncIterable<JournalRow> {
    return readPages(async (from) => unpackPage(await this.#open().ask("read", { runId, fromSeq: from })), fromSeq);
  }

  async noteSnapshot(runId: string, seq: number): Promise<void> {
    await this.#open().ask("noteSnapshot", { runId, seq });
  }

  async compact({ runId, row, forget, lastSeq }: Compaction): Promise<CompactResult> {
    checkRow(row, 1);
    const { count, chain, bytes } = row;
    return this.#open().ask("compact", { runId, count, chain, forget, lastSeq }, bytes);
  }

  async get(runId: string): Promise<RunRow | undefined> {
    return this.#open().ask("get", { runId });
  }

  async list(filter: RunFilter = {}): Promise<RunRow[]> {
    return this.#open().ask("list", filter);
  }

  async claim(request: ClaimRequest): Promise<RunRow[]> {
    return this.#open().ask("claim", request);
  }

  async release(runId: string, epoch: number, unbegun = false): Promise<void> {
    await this.#open().ask("release", { runId, epoch, unbegun });
  }

  async post(post: Post): Promise<PostResult> {
    const { runId, kind, key, bytes, by, at, wakes } = post;
    return this.#open().ask("post", { runId, kind, key, by, at, wakes }, bytes);
  }

  async inbox(runId: string): Promise<Note[]> {
    return this.#open().ask("inbox", { runId });
  }

  async arrivals(limit: number): Promise<string[]> {
    return this.#open().ask("arrivals", { limit });
  }

  async reject(runId: string, id: number): Promise<void> {
    await this.#open().ask("reject", { runId, id });
  }

  async notes(runId: string): Promise<StoredNote[]> {
    return this.#open().ask("notes", { runId });
  }

  async restore(run: RestoredRun): Promise<RestoreResult> {
    checkId(run.row.id);
    checkJournal(run);
    return sendRestore(this.#open(), run);
  }

  async requeue(runId: string, at: number): Promise<boolean> {
    return this.#open().ask("requeue", { runId, at });
  }

  async fenceAll({ resume, at }: FenceRequest): Promise<Fenced> {
    return this.#open().ask("fenceAll", { resume, at });
  }

  async living(owners: readonly string[]): Promise<string[]> {
    return this.#open().ask("living", { owners });
  }

  async integrity(): Promise<string[]> {
    return this.#open().ask("integrity", undefined);
  }

  async vacuum(): Promise<SqliteSizes> {
    return this.#open().ask("vacuum", undefined);
  }

  async carried(thread: string, upTo?: number, from = 0): Promise<CarriedRow[]> {
    return this.#open().ask("carried", { thread, upTo: upTo ?? null, from });
  }

  async prune(request: PruneRequest): Promise<Pruned> {
    return this.#open().ask("prune", request);
  }

  async stats(): Promise<BackendStats> {
    return this.#open().ask("stats", undefined);
  }

  async putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    await this.#open().ask("putBlob", { hash }, bytes);
  }

  async getBlob(hash: string): Promise<Uint8Array | undefined> {
    return this.#open().ask("getBlob", { hash });
  }

  close(): Promise<void> {
    return this.#opened.close(async (channel) => {
      this.#hints.close();
      // A worker that is gone already holds nothing any more.
      await channel.ask("close", undefined).catch(() => {});
      await channel.ended();
    });
  }

  async abandon(): Promise<void> {
    this.#hints.close();
    await this.#opened.peek()?.terminate();
  }

  async #start(owner: string): Promise<Channel> {
    const channel = new Channel(this.#options, () => this.#hints.tellAll());
    try {
      this.#settings = await channel.ask("open", { owner });
      return channel;
    } catch (error) {
      await channel.ended();
      throw error;
    }
  }

  #open(): Channel {
    return this.#opened.get();
  }
}

/** Without it hints come all the same, but only of what this process does. */
function watch(channel: Channel): void {
  channel.ask("watch", undefined).catch(() => {});
}
