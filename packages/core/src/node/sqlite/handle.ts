import { errorOf, invariantBroken, type MillraceError } from "../../base/error.ts";
import type {
  Append,
  AppendResult,
  ClaimRequest,
  CreateResult,
  JournalRow,
  NewRun,
  RunFilter,
  RunRow,
} from "../../ports/backend.ts";
import { Channel } from "./channel.ts";
import { readJournal } from "./read-journal.ts";
import type { SqliteSettings, WorkerOptions } from "./protocol.ts";
import type { SqliteBackend } from "./sqlite.ts";

const appended: AppendResult = { type: "ok" };

/** The main thread's half: checks what can be checked here, and sends the rest through the channel. */
export class SqliteHandle implements SqliteBackend {
  readonly name: string;
  readonly #options: WorkerOptions;
  #channel: Channel | undefined;
  #settings: SqliteSettings | undefined;
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: WorkerOptions) {
    this.name = `sqlite:${options.file}`;
    this.#options = options;
  }

  async open(owner: string): Promise<void> {
    if (this.#opening !== undefined) {
      throw errorOf("BackendInUse", { backend: this.name });
    }
    this.#opening = this.#start(owner);
    this.#closing = undefined;
    try {
      await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  settings(): SqliteSettings {
    if (this.#settings === undefined) throw this.#notOpen();
    return this.#settings;
  }

  async create(run: NewRun): Promise<CreateResult> {
    const { id, graph, fingerprint, createdAt, first, traceId = null, labels = null } = run;
    checkId(id);
    checkRow(first, 1);
    const { firstSeq, count, chain, bytes } = first;
    const input = { run: { id, graph, fingerprint, createdAt, traceId, labels }, first: { firstSeq, count, chain } };
    return this.#open().ask("create", input, bytes);
  }

  async append(append: Append): Promise<AppendResult> {
    const { runId, epoch, row, at } = append;
    checkRow(row, row.firstSeq);
    const { firstSeq, count, chain, bytes } = row;
    const status = append.status ?? null;
    const release = append.release ?? false;
    const fingerprint = append.fingerprint ?? null;
    const answer = await this.#open().append<AppendResult | undefined>(
      (id) => [id, bytes.byteLength, runId, epoch, firstSeq, count, chain, at, status, release, fingerprint],
      bytes,
    );
    return answer ?? appended;
  }

  read(runId: string, fromSeq = 1): AsyncIterable<JournalRow> {
    return readJournal((from) => this.#open().ask("read", { runId, fromSeq: from }), fromSeq);
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

  async release(runId: string, epoch: number): Promise<void> {
    await this.#open().ask("release", { runId, epoch });
  }

  async putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    await this.#open().ask("putBlob", { hash }, bytes);
  }

  async getBlob(hash: string): Promise<Uint8Array | undefined> {
    return this.#open().ask("getBlob", { hash });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async abandon(): Promise<void> {
    await this.#channel?.terminate();
  }

  async #start(owner: string): Promise<void> {
    const channel = new Channel(this.#options);
    try {
      this.#settings = await channel.ask("open", { owner });
      this.#channel = channel;
    } catch (error) {
      await channel.ended();
      throw error;
    }
  }

  async #close(): Promise<void> {
    await this.#opening?.catch(() => {});
    const channel = this.#channel;
    this.#channel = undefined;
    this.#opening = undefined;
    if (channel === undefined) return;
    // A worker that is gone already holds nothing any more.
    await channel.ask("close", undefined).catch(() => {});
    await channel.ended();
  }

  #open(): Channel {
    if (this.#channel === undefined) throw this.#notOpen();
    return this.#channel;
  }

  #notOpen(): MillraceError {
    return errorOf("BackendNotOpen", { backend: this.name });
  }
}

/** B3, as far as it can be seen without the run. */
function checkRow(row: JournalRow, firstSeq: number): void {
  if (row.firstSeq !== firstSeq || !(row.firstSeq >= 1) || !(row.count >= 1)) {
    throw invariantBroken("B3", `a journal row claims ${row.count} records from ${row.firstSeq}`);
  }
}

/**
 * SQLite keeps UTF-8, in which all lone surrogates are one character, and Node 22 reads a text only up to its first NUL:
 * two ids would become one.
 */
function checkId(id: string): void {
  if (!id.isWellFormed() || id.includes("\0")) {
    throw errorOf("InvalidRunId.nul", { id: JSON.stringify(id) });
  }
}
