/**
 * Encryption at rest, over any backend.
 *
 * E1  No bytes reach the inner backend but through `Vault.seal`: rows, notes, carried rows, blobs and entries of the store.
 * E2  Bytes decrypt at the place that they were stored at and nowhere else: a row at its run, records and checksum; a note
 *     at its run, kind, key, author and time; a carried row at its thread, number and run; a blob at its hash; an entry of the store at its place.
 * E3  What is not as it was written is an error with a code, never other data.
 */
import { MillraceError } from "../../base/error.ts";
import { WrappedBackend } from "../../backends/wrapped.ts";
import { checkEncryptedOptions } from "./options.ts";
import type {
  Append,
  AppendResult,
  Backend,
  BackendStats,
  ClaimRequest,
  CreateResult,
  JournalRow,
  NewRun,
  RestoredRun,
  RestoreResult,
  RunFilter,
  RunRow,
} from "../../ports/backend.ts";
import type { NewNote, Note, Post, PostResult, StoredNote } from "../../ports/inbox.ts";
import type { EntryStore } from "../../ports/store.ts";
import type { CarriedRow } from "../../ports/thread.ts";
import { allCarried } from "../../journal/carry/all-carried.ts";
import { EncryptedEntries } from "./entries.ts";
import { KeyRing, type EncryptionKey, type RingKey } from "./key-ring.ts";
import { sealBytes, type Place } from "./seal.ts";
import { damagedRecord, Vault } from "./vault.ts";

export interface EncryptedOptions {
  /** The first one writes, all of them read. To rotate: put a new one first, and keep the old ones behind it. */
  readonly keys: readonly EncryptionKey[];
  /**
   * Reads what was stored before there was encryption. For a time of migration only: as long as it is on, whoever can write
   * the database can put records of their own into it. Default false.
   */
  readonly allowPlain?: boolean;
}

/** What is wrong with one run, and is found again by whoever reads it. */
const saidWhenRead: ReadonlySet<string> = new Set(["EncryptionKeyMissing", "NotEncrypted", "JournalCorrupt"]);

/**
 * A backend that encrypts what it stores, with AES-256-GCM: journals, answers and other notes, what threads carry on,
 * blobs, and values of the store. Its namespaces and keys, ids, names of graphs, labels, statuses, times, sizes and who answered stay readable: the database finds runs by
 * them. Every process that shares the database needs the keys.
 *
 * ```ts
 * const backend = encrypted(sqlite("app.db"), { keys: [secret(process.env.MILLRACE_KEY ?? "")] });
 * ```
 *
 * @throws MillraceError `InvalidOption` for keys that are none. When it is opened: `EncryptionKeyMissing` or `NotEncrypted`
 * when the newest run cannot be read with these keys.
 */
export function encrypted(backend: Backend, options: EncryptedOptions): Backend {
  checkEncryptedOptions(options);
  return new EncryptedBackend(backend, new Vault(new KeyRing(options.keys), options.allowPlain ?? false));
}

export class EncryptedBackend extends WrappedBackend {
  readonly #vault: Vault;
  #entries: EncryptedEntries | undefined;
  /** Appends that first look where what they carry on will stand, by run: later ones of the run wait for them (B5). */
  readonly #carrying: Map<string, Promise<unknown>> = new Map();

  constructor(inner: Backend, vault: Vault) {
    super(inner);
    this.#vault = vault;
  }

  override get store(): EntryStore | undefined {
    const { store } = this.inner;
    if (store === undefined) return undefined;
    this.#entries ??= new EncryptedEntries(store, this.#vault);
    return this.#entries;
  }

  override get name(): string {
    return `${this.inner.name} (encrypted)`;
  }

  override async open(owner: string): Promise<void> {
    await this.inner.open(owner);
    try {
      await this.#tryKeys();
    } catch (error) {
      await this.inner.close();
      throw error;
    }
  }

  /** Wrong keys are found before there is anything to lose. */
  async #tryKeys(): Promise<void> {
    const [newest] = await this.inner.list({ limit: 1 });
    if (newest !== undefined) await this.#lastKey(newest);
  }

  override async create(run: NewRun): Promise<CreateResult> {
    const first = this.#vault.sealRow(run.id, run.first);
    const result = await this.inner.create({ ...run, first, blobs: this.#blobNames(run.blobs) });
    return result.type === "created" || result.type === "moved"
      ? result
      : { ...result, row: await this.#unmask(result.row) };
  }

  /** B5: nothing is waited for but by a run that carries something on. */
  override append(append: Append): Promise<AppendResult> {
    const { runId } = append;
    const before = this.#carrying.get(runId);
    if (append.carry === undefined && before === undefined) return this.#append(append);
    const appended = (before ?? Promise.resolve()).then(() => this.#appendCarrying(append));
    const settled = appended
      .catch(() => undefined)
      .finally(() => {
        if (this.#carrying.get(runId) === settled) this.#carrying.delete(runId);
      });
    this.#carrying.set(runId, settled);
    return appended;
  }

  /** A thread has one run at a time (B10), and it alone carries on: the next number is known. */
  async #appendCarrying(append: Append): Promise<AppendResult> {
    const { carry, ...rest } = append;
    if (carry === undefined) return this.#append(append);
    const { thread = null, carriedUpTo = null } = (await this.inner.get(append.runId)) ?? {};
    if (thread === null) return this.#append(rest);
    const n = (carriedUpTo ?? 0) + 1;
    const { whole } = carry;
    const bytes = this.#vault.seal(carriedPlace(thread, { n, runId: append.runId, whole }), carry.bytes);
    return this.#append({ ...rest, carry: { whole, bytes } });
  }

  async #append(append: Append): Promise<AppendResult> {
    const row = this.#vault.sealRow(append.runId, append.row);
    const result = await this.inner.append({ ...append, row, blobs: this.#blobNames(append.blobs) });
    if (result.type === "ok" || result.row === undefined) return result;
    return { type: "lost", row: await this.#unmask(result.row) };
  }

  override async *read(runId: string, fromSeq?: number): AsyncIterable<JournalRow> {
    for await (const row of this.inner.read(runId, fromSeq)) yield this.#vault.openRow(runId, row);
  }

  override get compact(): Backend["compact"] {
    const { inner } = this;
    if (inner.compact === undefined) return undefined;
    return async ({ runId, row, forget, lastSeq }) => {
      const sealed = this.#vault.sealRow(runId, row);
      // Whichever key a blob was stored under: what it is called under the others names nothing.
      const names = forget.flatMap((hash) => this.#vault.ring.keys.map((key) => key.blobName(hash)));
      return (await inner.compact?.({ runId, row: sealed, forget: names, lastSeq })) ?? { type: "refused" };
    };
  }

  override async get(runId: string): Promise<RunRow | undefined> {
    const row = await this.inner.get(runId);
    return row === undefined ? undefined : this.#unmask(row);
  }

  override async list(filter?: RunFilter): Promise<RunRow[]> {
    return this.#unmaskAll(await this.inner.list(filter));
  }

  override async claim(request: ClaimRequest): Promise<RunRow[]> {
    return this.#unmaskAll(await this.inner.claim(request));
  }

  async #unmaskAll(rows: readonly RunRow[]): Promise<RunRow[]> {
    const unmasked: RunRow[] = [];
    for (const row of rows) unmasked.push(await this.#unmask(row));
    return unmasked;
  }

  async #unmask(row: RunRow): Promise<RunRow> {
    const key = await this.#keyOfRun(row);
    return key === null ? row : { ...row, chain: (row.chain ^ key.mask(row.id, row.lastSeq)) >>> 0 };
  }

  /** With one key there is no question; a damaged row says so when it is read, and keeps no other run from being listed. */
  async #keyOfRun(row: RunRow): Promise<RingKey | null> {
    const { ring, allowPlain } = this.#vault;
    if (ring.size === 1 && !allowPlain) return ring.first;
    return this.#lastKey(row).catch((error: unknown) => {
      if (error instanceof MillraceError && saidWhenRead.has(error.code)) return null;
      throw error;
    });
  }

  /** The key that the last row of the run is encrypted with; null: it is in plain, or missing. */
  async #lastKey({ id, lastSeq }: RunRow): Promise<RingKey | null> {
    for await (const row of this.inner.read(id, lastSeq)) return this.#vault.keyOfRow(id, row);
    return null;
  }

  override async post(post: Post): Promise<PostResult> {
    const result = await this.inner.post({ ...post, bytes: this.#vault.seal(notePlace(post), post.bytes) });
    if (result.type === "refused") return { ...result, row: result.row && (await this.#unmask(result.row)) };
    const row = await this.#unmask(result.row);
    return result.type === "posted" ? { ...result, row } : { ...result, row, note: this.#openNote(result.note) };
  }

  override async inbox(runId: string): Promise<Note[]> {
    return (await this.inner.inbox(runId)).map((note) => this.#openNote(note));
  }

  override async notes(runId: string): Promise<StoredNote[]> {
    return (await this.inner.notes(runId)).map((note) => this.#openNote(note));
  }

  /** B12. Rows of its thread that stand are handed on as they stand: the same bytes encrypted again would be others. */
  override async restore(run: RestoredRun): Promise<RestoreResult> {
    const sealed = this.#sealRun(run);
    for (let standing = await this.#standing(run); ;) {
      const carried = this.#sealCarried(run, standing);
      const result = await this.inner.restore({ ...sealed, carried });
      if (result.type === "exists" || result.type === "busy") return { ...result, row: await this.#unmask(result.row) };
      if (result.type === "restored") return result;
      // Somebody may have put the same row there meanwhile.
      const known = standing.size;
      standing = await this.#standing(run);
      if (standing.size === known) return result;
    }
  }

  #sealRun({ row, journal, notes, blobs }: RestoredRun): Omit<RestoredRun, "carried"> {
    const { id, chain, lastSeq } = row;
    return {
      row: { ...row, chain: (chain ^ this.#vault.ring.first.mask(id, lastSeq)) >>> 0 },
      journal: journal.map((each) => this.#vault.sealRow(id, each)),
      notes: notes.map((note) => ({ ...note, bytes: this.#vault.seal(notePlace(note), note.bytes) })),
      blobs: this.#blobNames(blobs) ?? [],
    };
  }

  #sealCarried({ row: { thread }, carried }: RestoredRun, standing: ReadonlyMap<number, CarriedRow>): CarriedRow[] {
    return carried.map((row) => {
      const found = standing.get(row.n);
      if (found !== undefined) return found;
      return { ...row, bytes: this.#vault.seal(carriedPlace(thread ?? "", row), row.bytes) };
    });
  }

  /** Those of the given rows that stand, as they are stored. */
  async #standing({ row: { thread }, carried }: RestoredRun): Promise<Map<number, CarriedRow>> {
    if (thread === null || carried.length === 0) return new Map();
    const given = new Map(carried.map((row) => [row.n, row]));
    const rows = (await allCarried(this.inner, thread)).filter((row) => {
      const same = given.get(row.n);
      return same?.runId === row.runId && same.whole === row.whole && isEqual(this.#openCarried(thread, row), same);
    });
    return new Map(rows.map((row) => [row.n, row]));
  }

  #openNote<N extends Note>(note: N): N {
    const what = `the note "${note.kind}" of run ${note.runId}`;
    return { ...note, bytes: this.#vault.open(notePlace(note), note.bytes, what, damagedRecord) };
  }

  override async carried(thread: string, upTo?: number, from?: number): Promise<CarriedRow[]> {
    const rows = await this.inner.carried(thread, upTo, from);
    return rows.map((row) => this.#openCarried(thread, row));
  }

  #openCarried(thread: string, row: CarriedRow): CarriedRow {
    const what = `what run ${row.runId} left to thread ${thread}`;
    return { ...row, bytes: this.#vault.open(carriedPlace(thread, row), row.bytes, what, damagedRecord) };
  }

  override async putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    return this.inner.putBlob(this.#vault.ring.first.blobName(hash), this.#vault.seal(["blob", hash], bytes));
  }

  override async getBlob(hash: string): Promise<Uint8Array | undefined> {
    const { ring, allowPlain } = this.#vault;
    const names = ring.keys.map((key) => key.blobName(hash));
    for (const name of allowPlain ? [...names, hash] : names) {
      const stored = await this.inner.getBlob(name);
      if (stored !== undefined) return this.#vault.open(["blob", hash], stored, `the blob ${hash}`, damagedRecord);
    }
    return undefined;
  }

  #blobNames(hashes: readonly string[] | undefined): readonly string[] | undefined {
    return hashes?.map((hash) => this.#vault.ring.first.blobName(hash));
  }

  /** Bytes as they were given, not as they are stored. */
  override async stats(): Promise<BackendStats> {
    const stats = await this.inner.stats();
    const { journalBytes, journalRows, blobBytes, blobs, entries, entryBytes } = stats;
    const given = (bytes: number, records: number): number => Math.max(0, bytes - records * sealBytes);
    return {
      ...stats,
      journalBytes: given(journalBytes, journalRows),
      blobBytes: given(blobBytes, blobs),
      ...(entries !== undefined && { entryBytes: given(entryBytes ?? 0, entries) }),
    };
  }

  override async close(): Promise<void> {
    await Promise.all(this.#carrying.values());
    await this.inner.close();
  }
}

function notePlace({ runId, kind, key, by, at }: NewNote): Place {
  return ["note", runId, kind, key, by, at];
}

function carriedPlace(thread: string, { n, runId, whole }: Omit<CarriedRow, "bytes">): Place {
  return ["carried", thread, n, runId, whole];
}

function isEqual({ bytes: a }: CarriedRow, { bytes: b }: CarriedRow): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
