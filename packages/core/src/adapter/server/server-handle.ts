import { errorOf } from "../../base/error.ts";
import type {
  Append,
  AppendResult,
  Backend,
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
import { firstEpochOf, type Fenced, type FenceRequest } from "../../ports/fence.ts";
import type { Note, Post, PostResult, StoredNote } from "../../ports/inbox.ts";
import { checkJournal, checkRow } from "../../ports/row-checks.ts";
import type { EntryStore } from "../../ports/store.ts";
import type { CarriedRow } from "../../ports/thread.ts";
import { Opened } from "../handle/opened.ts";
import { readPages, type Page } from "../handle/read-pages.ts";
import { checkId, checkLabels, checkTexts, isStorable } from "../handle/texts.ts";
import type { PatientCalls } from "./calls.ts";
import { claimRuns } from "./claim.ts";
import type { ServerConnections } from "./connections.ts";
import { createRun } from "./create.ts";
import { ServerEntries } from "./entries.ts";
import { FollowedRuns } from "./followed-runs.ts";
import { mostOfPage } from "./portions.ts";
import { postNote } from "./post.ts";
import { restoreRun } from "./restore.ts";
import { toRunRow } from "./stored-row.ts";

/** A backend on a server that several processes share. */
export interface ServerBackend<Settings> extends Backend {
  /** As the server itself reports them. */
  settings(): Settings;
  /** Ends every connection at once without releasing anything, as a crash would. For tests. */
  abandon(): Promise<void>;
}

export interface ServerHandleOptions<Settings> {
  /** See `Backend.name`. */
  readonly name: string;
  /**
   * Registers the owner and connects; `hint`: see `Backend.onHint`, or that a text was said.
   *
   * @throws MillraceError
   */
  connect(owner: string, hint: (said?: string) => void): Promise<ServerConnections<Settings>>;
}

/**
 * All that a backend on a database server does besides talking to it: it checks what can be checked without the server, keeps
 * the order of calls, tries again what was lost on its way, and finds out what became of it.
 */
export class ServerHandle<Settings> implements ServerBackend<Settings> {
  readonly name: string;
  readonly store: EntryStore;
  readonly #options: ServerHandleOptions<Settings>;
  readonly #listeners = new Set<() => void>();
  readonly #followed = new FollowedRuns(async (text) => this.#opened.peek()?.say?.(text));
  /** Creations under way: an append of the same tick comes after. */
  readonly #creating = new Map<string, Promise<CreateResult>>();
  readonly #opened: Opened<ServerConnections<Settings>>;

  constructor(options: ServerHandleOptions<Settings>) {
    this.name = options.name;
    this.#options = options;
    this.#opened = new Opened(options.name);
    this.store = new ServerEntries(() => this.#open().calls);
  }

  async open(owner: string): Promise<void> {
    checkTexts(this.name, { owner });
    await this.#opened.open(
      () => this.#options.connect(owner, (said) => this.#hint(said)),
      (connections) => {
        if (this.#listeners.size > 0) connections.listen();
      },
      "BackendInUse.url",
    );
  }

  settings(): Settings {
    const settings = this.#open().settings();
    if (settings === undefined) throw errorOf("BackendNotOpen", { backend: this.name });
    return settings;
  }

  alive(): boolean {
    return this.#opened.peek()?.lease.alive() ?? false;
  }

  get firstEpoch(): number {
    return firstEpochOf(this.#open().ownerN);
  }

  onHint(listener: () => void): void {
    this.#listeners.add(listener);
    this.#opened.peek()?.listen();
  }

  /** Absent while the server passes nothing on. */
  get watchRun(): Backend["watchRun"] {
    const connections = this.#opened.peek();
    if (connections?.say === undefined) return undefined;
    return (runId, listener) => {
      connections.listen();
      return this.#followed.watch(runId, listener);
    };
  }

  async create(run: NewRun): Promise<CreateResult> {
    const { id, graph, fingerprint, traceId, thread, first } = run;
    const connections = this.#open();
    checkId(id);
    checkTexts(this.name, { graph, fingerprint, traceId, thread });
    checkLabels(this.name, run.labels ?? {});
    checkRow(first, 1);
    const earlier = this.#creating.get(id);
    const creating = (async () => {
      await earlier?.catch(() => undefined);
      return createRun(connections.calls, connections, run);
    })();
    this.#creating.set(id, creating);
    try {
      return await creating;
    } finally {
      if (this.#creating.get(id) === creating) this.#creating.delete(id);
    }
  }

  async append(append: Append): Promise<AppendResult> {
    const { appends } = this.#open();
    checkRow(append.row, append.row.firstSeq);
    if (!isStorable(append.runId)) return { type: "lost", row: undefined };
    checkTexts(this.name, { fingerprint: append.fingerprint });
    const creating = this.#creating.get(append.runId);
    if (creating !== undefined) await creating.catch(() => undefined);
    const result = await appends.push(append);
    this.#followed.appended(append.runId);
    return result;
  }

  read(runId: string, fromSeq = 1): AsyncIterable<JournalRow> {
    const page = async (from: number): Promise<Page> => {
      const rows = await this.#known(runId, [], (calls) => calls.readPage(runId, from, mostOfPage));
      const last = rows.at(-1);
      return { rows, next: last === undefined ? null : last.firstSeq + last.count };
    };
    return readPages(page, fromSeq);
  }

  async noteSnapshot(runId: string, seq: number): Promise<void> {
    await this.#known(runId, undefined, (calls) => calls.noteSnapshot(runId, seq));
  }

  async compact(request: Compaction): Promise<CompactResult> {
    checkRow(request.row, 1);
    return this.#known(request.runId, { type: "refused" }, (calls) => calls.compact(request));
  }

  async get(runId: string): Promise<RunRow | undefined> {
    const row = await this.#known(runId, undefined, (calls) => calls.findRun(runId));
    return row === undefined ? undefined : toRunRow(row);
  }

  async list(filter: RunFilter = {}): Promise<RunRow[]> {
    const { graph = "", thread = "", labels = {} } = filter;
    const texts = [graph, thread, ...Object.entries(labels).flat()];
    const rows = await this.#known(texts, [], (calls) => calls.listRuns(filter));
    return rows.map(toRunRow);
  }

  async claim(request: ClaimRequest): Promise<RunRow[]> {
    return claimRuns(this.#open().calls, request);
  }

  async release(runId: string, epoch: number, unbegun = false): Promise<void> {
    await this.#known(runId, undefined, (calls) => calls.release(runId, epoch, unbegun));
  }

  async post(post: Post): Promise<PostResult> {
    const { calls } = this.#open();
    checkTexts(this.name, { "a note's key": post.key, "a note's author": post.by });
    return isStorable(post.runId) ? postNote(calls, post) : { type: "refused", row: undefined };
  }

  async inbox(runId: string): Promise<Note[]> {
    return this.#known(runId, [], (calls) => calls.findNotes(runId));
  }

  async arrivals(limit: number): Promise<string[]> {
    return this.#known([], [], (calls) => calls.findArrivals(Math.max(0, limit)));
  }

  async reject(runId: string, id: number): Promise<void> {
    await this.#known(runId, undefined, (calls) => calls.deleteNote(runId, id));
  }

  async notes(runId: string): Promise<StoredNote[]> {
    return this.#known(runId, [], (calls) => calls.findAllNotes(runId));
  }

  async restore(run: RestoredRun): Promise<RestoreResult> {
    const { calls } = this.#open();
    const { id, graph, fingerprint, traceId, labels, thread } = run.row;
    checkId(id);
    checkTexts(this.name, { graph, fingerprint, traceId, thread });
    checkLabels(this.name, labels ?? {});
    for (const { key, by } of run.notes) checkTexts(this.name, { "a note's key": key, "a note's author": by });
    for (const { runId } of run.carried) checkTexts(this.name, { "a carried row's run": runId });
    checkJournal(run);
    return restoreRun(calls, this.name, run);
  }

  async requeue(runId: string, at: number): Promise<boolean> {
    return this.#known(runId, false, (calls) => calls.requeue(runId, at));
  }

  async fenceAll(request: FenceRequest): Promise<Fenced> {
    const { calls } = this.#open();
    return calls.attempt(() => calls.fenceAll(request));
  }

  async living(owners: readonly string[]): Promise<string[]> {
    const asked = owners.filter(isStorable);
    if (asked.length === 0) return [];
    const living = new Set(await this.#known([], [], (calls) => calls.findLiving(asked)));
    return asked.filter((owner) => living.has(owner));
  }

  async carried(thread: string, upTo?: number, from = 0): Promise<CarriedRow[]> {
    return this.#known(thread, [], (calls) => calls.findCarried(thread, upTo ?? null, from));
  }

  async putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    const { calls } = this.#open();
    checkTexts(this.name, { "a blob's hash": hash });
    await calls.attempt(() => calls.putBlob(hash, bytes));
  }

  async getBlob(hash: string): Promise<Uint8Array | undefined> {
    return this.#known(hash, undefined, (calls) => calls.getBlob(hash));
  }

  async prune(request: PruneRequest): Promise<Pruned> {
    const limit = isStorable(request.graph ?? "") && isStorable(request.thread ?? "") ? request.limit : 0;
    const { calls } = this.#open();
    return calls.attempt(() => calls.prune({ ...request, limit }));
  }

  async stats(): Promise<BackendStats> {
    const { calls } = this.#open();
    return calls.attempt(() => calls.stats());
  }

  close(): Promise<void> {
    return this.#opened.close((connections) => this.#close(connections));
  }

  async abandon(): Promise<void> {
    const connections = this.#opened.take();
    if (connections === undefined) return;
    this.#followed.close();
    connections.appends.abandon(errorOf("BackendNotOpen", { backend: this.name }));
    await connections.abandon();
  }

  async #close(connections: ServerConnections<Settings>): Promise<void> {
    // Connections that wait for nothing do not keep the process; what waits for their end must.
    const hold = setInterval(() => undefined, 1_000_000);
    this.#followed.close();
    try {
      await Promise.allSettled(this.#creating.values());
      await connections.appends.idle();
      await connections.close();
    } finally {
      clearInterval(hold);
    }
  }

  #hint(said?: string): void {
    if (said !== undefined) return this.#followed.heard(said);
    this.#followed.watchers.tellAll();
    for (const listener of this.#listeners) listener();
  }

  /** One call; what no row can be called is not asked for. */
  async #known<Result>(
    texts: string | readonly string[],
    otherwise: Result,
    call: (calls: PatientCalls) => Promise<Result>,
  ): Promise<Result> {
    const { calls } = this.#open();
    const all = typeof texts === "string" ? [texts] : texts;
    return all.every(isStorable) ? calls.attempt(() => call(calls)) : otherwise;
  }

  #open(): ServerConnections<Settings> {
    return this.#opened.get();
  }
}
