import { statSync } from "node:fs";

import { explain } from "../../../base/error.ts";
import type { SqliteSettings, WorkerOptions } from "../protocol.ts";
import { Connection } from "./connection.ts";
import { prepareFile } from "./files.ts";
import { migrate, schemaVersion } from "./schema.ts";
import { StoreFailure } from "./store-failure.ts";

const synchronousLevels = { off: 0, normal: 1, full: 2 } as const;

/**
 * The file with a writing and a reading handle. Both are opened when needed, so that dropping them after an I/O error
 * is all it takes to start afresh (H19).
 */
export class Database {
  /** The real path. */
  readonly file: string;
  readonly #options: WorkerOptions;
  /** What tells this file from another one at its path. */
  #place: string | undefined;
  #writer: Connection | undefined;
  #reader: Connection | undefined;
  /** The schema that the file had when it was opened first. */
  #found: number | undefined;

  constructor(options: WorkerOptions) {
    this.file = prepareFile(options.file);
    this.#options = options;
  }

  /**
   * Looks first whether the file is still where it was: one that was put in its place, as a backup that is restored, is
   * another database, and what this process holds open is no longer anybody's. It costs some microseconds a commit.
   *
   * @throws StoreFailure `DatabaseReplaced`
   */
  writer(): Connection {
    if (this.#place !== undefined && placeOf(this.file) !== this.#place)
      throw new StoreFailure(explain("DatabaseReplaced", { file: this.file }));
    this.#writer ??= this.#openWriter();
    return this.#writer;
  }

  /** Cannot write (B7). Needs the writer's handle beside it: in WAL mode a reader alone may not create what it needs. */
  reader(): Connection {
    this.writer();
    this.#reader ??= new Connection(this.file, { readOnly: true });
    return this.#reader;
  }

  /** Changes with every commit that is not the writer's own; undefined: cannot be told now. */
  foreignVersion(): unknown {
    try {
      return this.#writer?.get("PRAGMA data_version")?.["data_version"];
    } catch {
      return undefined;
    }
  }

  settings(): SqliteSettings {
    return {
      file: this.file,
      journalMode: String(this.writer().pragma("journal_mode")),
      synchronous: Number(this.writer().pragma("synchronous")),
      schemaVersion,
      foundVersion: this.#found ?? schemaVersion,
    };
  }

  /**
   * Drops both handles and opens the writer again. The checkpoint moves what the log holds into the file with fresh
   * writes and fsyncs, because pages whose fsync failed may look clean in the page cache and still not be on disk.
   */
  reopen(): void {
    this.close();
    this.writer().pragma("wal_checkpoint(TRUNCATE)");
  }

  close(): void {
    this.#reader?.close();
    this.#writer?.close();
    this.#reader = undefined;
    this.#writer = undefined;
  }

  #openWriter(): Connection {
    const connection = new Connection(this.file);
    try {
      this.#configure(connection);
      // Not before: file systems that make inode numbers up keep them only for what is open.
      this.#place ??= placeOf(this.file);
      const found = migrate(connection, this.file);
      this.#found ??= found;
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  #configure(connection: Connection): void {
    const { synchronous, maxBytes } = this.#options;
    this.#expect(connection.pragma("journal_mode = WAL"), "wal", "journal_mode");
    const level = synchronousLevels[synchronous];
    connection.exec(`PRAGMA synchronous = ${level}`);
    this.#expect(connection.pragma("synchronous"), level, "synchronous");
    connection.exec("PRAGMA trusted_schema = OFF");
    // Gives the disk back what one long transaction made the log grow to.
    connection.pragma("journal_size_limit = 67108864");
    if (maxBytes !== undefined) {
      const pages = Math.max(1, Math.floor(maxBytes / Number(connection.pragma("page_size"))));
      connection.pragma(`max_page_count = ${pages}`);
    }
  }

  #expect(found: unknown, wanted: unknown, pragma: string): void {
    if (found === wanted) return;
    const values = { file: this.file, pragma, found: String(found), wanted: String(wanted) };
    throw new StoreFailure(explain("DatabaseUnavailable.pragma", values));
  }
}

function placeOf(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
}
