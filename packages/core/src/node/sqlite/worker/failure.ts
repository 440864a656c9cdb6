import type { Failure } from "../protocol.ts";
import { StoreFailure } from "./store-failure.ts";

/** Primary result codes, https://www.sqlite.org/rescode.html. */
export const SqliteCode = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
  /** Extended: `SQLITE_CONSTRAINT_PRIMARYKEY` and `SQLITE_CONSTRAINT_UNIQUE`. */
  primaryKey: 1555,
  unique: 2067,
} as const;

interface Explanation {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

const explanations: ReadonlyMap<number, Explanation> = new Map<number, Explanation>([
  [SqliteCode.busy, locked()],
  [SqliteCode.locked, locked()],
  [
    SqliteCode.readOnly,
    {
      code: "DatabaseReadOnly",
      message: "the database cannot be written",
      hint: "check the owner and mode of the file and its folder, and that the file system is not mounted read-only",
    },
  ],
  [
    SqliteCode.ioError,
    {
      code: "DatabaseUnavailable",
      message: "the disk reported an error",
      hint: "nothing unacknowledged is assumed to be stored; check the disk, then resume",
    },
  ],
  [SqliteCode.corrupt, corrupt("the database file is damaged")],
  [
    SqliteCode.full,
    {
      code: "DatabaseFull",
      message: "there is no room left for the database",
      hint: "free space (or raise maxBytes) and resume; nothing that was acknowledged is lost",
    },
  ],
  [
    SqliteCode.cannotOpen,
    {
      code: "DatabaseUnavailable",
      message: "the database cannot be opened",
      hint: "the folder must exist and be writable; -wal and -shm files are created beside the database",
    },
  ],
  [SqliteCode.primaryKey, corrupt("a row stands where the run's row says there is none")],
  [SqliteCode.unique, corrupt("a row stands where the run's row says there is none")],
  [SqliteCode.notADatabase, corrupt("the file is not an SQLite database")],
]);

const fileExplanations: Readonly<Record<string, number>> = {
  EACCES: SqliteCode.readOnly,
  EPERM: SqliteCode.readOnly,
  EROFS: SqliteCode.readOnly,
  ENOSPC: SqliteCode.full,
  EDQUOT: SqliteCode.full,
  EIO: SqliteCode.ioError,
};

/** What to tell the caller about anything that was thrown while working on `file`. */
export function toFailure(error: unknown, file: string): Failure {
  if (error instanceof StoreFailure) return error.failure;
  const detail = error instanceof Error ? error.message : String(error);
  const explanation =
    explanations.get(resultCode(error) ?? fileCode(error) ?? -1) ?? explanations.get(primaryCode(error) ?? -1);
  if (explanation === undefined) return { code: "DatabaseFailed", message: `${file}: ${detail}`, detail };
  return { ...explanation, message: `${file}: ${explanation.message} (${detail})`, detail };
}

export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SqliteCode.busy || code === SqliteCode.locked;
}

/** After these the handle is not trusted any more (H19): it is closed, opened again and looked at. */
export function breaksHandle(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SqliteCode.ioError || code === SqliteCode.cannotOpen || code === SqliteCode.corrupt;
}

function primaryCode(error: unknown): number | undefined {
  const code = resultCode(error);
  return code === undefined ? undefined : code & 0xff;
}

/** The extended result code of an error of `node:sqlite`. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode;
}

function fileCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return fileExplanations[error.code];
}

function locked(): Explanation {
  return {
    code: "DatabaseLocked",
    message: "another process holds the database's write lock",
    hint: "find it (a long transaction, a backup, an open database tool) or raise busyTimeout",
  };
}

function corrupt(message: string): Explanation {
  return {
    code: "DatabaseCorrupt",
    message,
    hint: "nothing was changed; keep a copy, run `PRAGMA integrity_check`, restore a backup",
  };
}
