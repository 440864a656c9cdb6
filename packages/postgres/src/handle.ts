import type {
  Append,
  AppendResult,
  BackendStats,
  CarriedRow,
  ClaimRequest,
  Compaction,
  CompactResult,
  CreateResult,
  JournalRow,
  NewRun,
  Note,
  Post,
  PostResult,
  PruneRequest,
  Pruned,
  RestoredRun,
  RestoreResult,
  RunFilter,
  RunRow,
  StoredNote,
} from "@millrace/core";
import { errorOf } from "@millrace/core/adapter";

import { getBlob, putBlob } from "./calls/blobs.ts";
import { claimRuns } from "./calls/claim.ts";
import { compactRun, noteSnapshot } from "./calls/compact.ts";
import { createRun } from "./calls/create.ts";
import { postNote, readAllNotes, readNotes, rejectNote } from "./calls/notes.ts";
import { restoreRun } from "./calls/restore.ts";
import { pruneRuns, readStats } from "./calls/retention.ts";
import { findLiving, findRun, listRuns, readCarried, readJournal } from "./calls/reads.ts";
import { checkJournal, checkRow } from "./checks.ts";
import { closeConnections, openConnections, type Connections, type ConnectionsOptions } from "./connections.ts";
import type { PostgresBackend, PostgresSettings } from "./postgres.ts";
import { schemaVersion } from "./schema.ts";
import { checkId, checkLabels, checkTexts, isStorable } from "./text.ts";

/** Checks what can be checked without the server, and hands the calls to those who make them. */
export class PostgresHandle implements PostgresBackend {
  readonly name: string;
  readonly #options: ConnectionsOptions;
  readonly #listeners = new Set<() => void>();
  /** Creations under way: an append of the same tick comes after. */
  readonly #creating = new Map<string, Promise<CreateResult>>();
  #connections: Connections | undefined;
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor({ server, ...options }: Omit<ConnectionsOptions, "name"> & { readonly server: string }) {
    this.name = `${server}#${options.schema}`;
    this.#options = { ...options, name: this.name };
  }

  async open(owner: string): Promise<void> {
    if (this.#opening !== undefined) throw errorOf("BackendInUse.url", { backend: this.name });
    checkTexts(this.name, { owner });
    this.#opening = this.#start(owner);
    this.#closing = undefined;
    try {
      await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  settings(): PostgresSettings {
    const { report } = this.#open().database;
    if (report === undefined) throw errorOf("BackendNotOpen", { backend: this.name });
    return { ...report, schemaVersion };
  }

  alive(): boolean {
    return this.#connections?.lease.alive() ?? false;
  }

  onHint(listener: () => void): void {
    this.#listeners.add(listener);
    this.#connections?.listener.start();
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
      return createRun(connections, run);
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
    return appends.push(append);
  }

  read(runId: string, fromSeq = 1): AsyncIterable<JournalRow> {
    return readJournal(() => this.#open(), runId, fromSeq);
  }

  async noteSnapshot(runId: string, seq: number): Promise<void> {
    await noteSnapshot(this.#open(), runId, seq);
  }

  async compact(request: Compaction): Promise<CompactResult> {
    checkRow(request.row, 1);
    return compactRun(this.#open(), request);
  }

  async get(runId: string): Promise<RunRow | undefined> {
    return findRun(this.#open(), runId);
  }

  async list(filter: RunFilter = {}): Promise<RunRow[]> {
    return listRuns(this.#open(), filter);
  }

  async claim(request: ClaimRequest): Promise<RunRow[]> {
    return claimRuns(this.#open(), request);
  }

  async release(runId: string, epoch: number, unbegun = false): Promise<void> {
    const { database, ownerN } = this.#open();
    if (isStorable(runId)) await database.query(database.statements.releaseRun, [runId, epoch, ownerN, unbegun]);
  }

  async post(post: Post): Promise<PostResult> {
    const connections = this.#open();
    checkTexts(this.name, { "a note's key": post.key, "a note's author": post.by });
    return postNote(connections, post);
  }

  async inbox(runId: string): Promise<Note[]> {
    return readNotes(this.#open(), runId);
  }

  async arrivals(limit: number): Promise<string[]> {
    const { database, ownerN } = this.#open();
    const { rows } = await database.query<{ id: string }>(database.statements.selectArrivals, [
      ownerN,
      Math.max(0, limit),
    ]);
    return rows.map(({ id }) => id);
  }

  async reject(runId: string, id: number): Promise<void> {
    await rejectNote(this.#open(), runId, id);
  }

  async notes(runId: string): Promise<StoredNote[]> {
    return readAllNotes(this.#open(), runId);
  }

  async restore(run: RestoredRun): Promise<RestoreResult> {
    const connections = this.#open();
    const { id, graph, fingerprint, traceId, labels, thread } = run.row;
    checkId(id);
    checkTexts(this.name, { graph, fingerprint, traceId, thread });
    checkLabels(this.name, labels ?? {});
    for (const { key, by } of run.notes) checkTexts(this.name, { "a note's key": key, "a note's author": by });
    for (const { runId } of run.carried) checkTexts(this.name, { "a carried row's run": runId });
    checkJournal(run);
    return restoreRun(connections, run);
  }

  async requeue(runId: string, at: number): Promise<boolean> {
    const { database } = this.#open();
    if (!isStorable(runId)) return false;
    return (await database.query(database.statements.requeueRun, [runId, at])).count > 0;
  }

  async living(owners: readonly string[]): Promise<string[]> {
    return findLiving(this.#open(), owners);
  }

  async carried(thread: string, upTo?: number): Promise<CarriedRow[]> {
    return readCarried(this.#open(), thread, upTo);
  }

  async putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    const connections = this.#open();
    checkTexts(this.name, { "a blob's hash": hash });
    await putBlob(connections, hash, bytes);
  }

  async getBlob(hash: string): Promise<Uint8Array | undefined> {
    return getBlob(this.#open(), hash);
  }

  async prune(request: PruneRequest): Promise<Pruned> {
    return pruneRuns(this.#open(), request);
  }

  async stats(): Promise<BackendStats> {
    return readStats(this.#open());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async abandon(): Promise<void> {
    const connections = this.#connections;
    this.#connections = undefined;
    if (connections === undefined) return;
    const { database, appends, appending, listener, lease } = connections;
    appends.abandon(errorOf("BackendNotOpen", { backend: this.name }));
    appending.abandon();
    database.abandon();
    listener.abandon();
    await lease.abandon();
  }

  async #start(owner: string): Promise<void> {
    this.#connections = await openConnections(this.#options, owner, () => this.#hint());
    if (this.#listeners.size > 0) this.#connections.listener.start();
  }

  async #close(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    const connections = this.#connections;
    this.#connections = undefined;
    this.#opening = undefined;
    if (connections === undefined) return;
    // Connections that wait for nothing do not keep the process; what waits for their end must.
    const hold = setInterval(() => undefined, 1_000_000);
    try {
      await Promise.allSettled(this.#creating.values());
      await closeConnections(connections);
    } finally {
      clearInterval(hold);
    }
  }

  #hint(): void {
    for (const listener of this.#listeners) listener();
  }

  #open(): Connections {
    if (this.#connections === undefined) throw errorOf("BackendNotOpen", { backend: this.name });
    return this.#connections;
  }
}
