/**
 * Traces in a SQLite file, while runs go on: another process can read along. Records are written in batches a few times
 * per second on the thread that runs, without waiting for the disk: a crash may lose the last moment of a trace, never of
 * a run.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { createPrivately } from "../sqlite/worker/files.ts";
import { errorOf, type MillraceError } from "../../base/error.ts";
import type { Labels } from "../../model/tags.ts";
import type { TraceError, TraceRecord, TraceSink } from "../../ports/trace.ts";
import {
  forgetOldRuns,
  putAttempt,
  putInvocation,
  putRun,
  putYield,
  schema,
  schemaVersion,
  upgrades,
} from "./schema.ts";

export interface SqliteTracesOptions {
  /** Traces of older runs are deleted beyond this many. Default 1,000. */
  readonly keepRuns?: number;
}

const flushEveryMs = 40;
const flushAt = 2_000;
/** Behind a writer that keeps the file locked for this long the sink gives up. */
const mostWaiting = 100_000;
const lockTimeoutMs = 50;

const statements: Readonly<Record<TraceRecord["type"], string>> = {
  run: putRun,
  invocation: putInvocation,
  attempt: putAttempt,
  yield: putYield,
};

/** The file and its folder are made when they are missing; the folder ignores itself in git when it is `.millrace`. */
export function sqliteTraces(file: string, options: SqliteTracesOptions = {}): TraceSink {
  return new SqliteTraces(file, options.keepRuns ?? 1_000);
}

class SqliteTraces implements TraceSink {
  readonly #file: string;
  readonly #keepRuns: number;
  #database: DatabaseSync | null = null;
  readonly #prepared = new Map<string, StatementSync>();
  #waiting: TraceRecord[] = [];
  #timer: NodeJS.Timeout | null = null;
  #failure: unknown = null;
  readonly #atExit = (): void => this.#tryFlush();

  constructor(file: string, keepRuns: number) {
    this.#file = file;
    this.#keepRuns = keepRuns;
  }

  write(record: TraceRecord): void {
    if (this.#failure !== null) throw this.#failure;
    this.#database ??= this.#open();
    this.#waiting.push(record);
    if (this.#waiting.length % flushAt === 0) this.#tryFlush();
    else this.#timer ??= setTimeout(() => this.#tryFlush(), flushEveryMs).unref();
  }

  close(): void {
    this.#tryFlush();
    process.off("exit", this.#atExit);
    this.#prepared.clear();
    this.#database?.close();
    this.#database = null;
    if (this.#failure !== null) throw this.#failure;
  }

  #open(): DatabaseSync {
    const folder = dirname(this.#file);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    createPrivately(this.#file);
    if (folder.endsWith(".millrace")) ignoreInGit(folder);
    const database = new DatabaseSync(this.#file, { timeout: lockTimeoutMs });
    try {
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;");
      checkVersion(database, this.#file);
      database.exec("BEGIN IMMEDIATE");
      // Again under the lock: another process may have been faster.
      const found = checkVersion(database, this.#file);
      database.exec(`${upgradesFrom(found)} ${schema} PRAGMA user_version = ${schemaVersion}; COMMIT;`);
    } catch (error) {
      database.close();
      throw error;
    }
    process.once("exit", this.#atExit);
    return database;
  }

  /** What goes wrong on a timer is thrown at the next write, where the engine takes note of it. */
  #tryFlush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#database === null || this.#waiting.length === 0) return;
    try {
      this.#flush(this.#database);
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      if (!isBusy(error) || this.#waiting.length > mostWaiting) this.#failure = error;
      else this.#timer = setTimeout(() => this.#tryFlush(), flushEveryMs * 5).unref();
    }
  }

  #flush(database: DatabaseSync): void {
    const records = this.#waiting;
    database.exec("BEGIN IMMEDIATE");
    for (const record of records) this.#prepare(database, statements[record.type]).run(valuesOf(record));
    if (records.some(({ type }) => type === "run")) this.#prepare(database, forgetOldRuns).run(this.#keepRuns);
    database.exec("COMMIT");
    this.#waiting = [];
  }

  #prepare(database: DatabaseSync, sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

function valuesOf(record: TraceRecord): Record<string, SQLInputValue> {
  const { type: _, ...values } = record;
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [`$${key}`, stored(value as string | TraceError | Labels)]),
  );
}

function stored(value: string | number | boolean | null | readonly string[] | TraceError | Labels): SQLInputValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

/** A file of version 0 is empty. */
function upgradesFrom(found: number): string {
  return Object.entries(upgrades)
    .map(([version, sql]) => (found > 0 && Number(version) >= found ? sql : ""))
    .join("");
}

function isBusy(error: unknown): boolean {
  return ((error as { errcode?: unknown }).errcode as number | undefined) === 5;
}

function checkVersion(database: DatabaseSync, file: string): number {
  const { user_version: found } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  if (found > schemaVersion) throw tracesTooNew(file, found);
  return found;
}

export function tracesTooNew(file: string, found: number): MillraceError {
  return errorOf("TracesTooNew", { file, found, known: schemaVersion });
}

/** What runs leave behind is no source. */
function ignoreInGit(folder: string): void {
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch {
    // It is there already, or cannot be written; neither keeps traces from being written.
  }
}
