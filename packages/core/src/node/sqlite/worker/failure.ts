import { explain } from "../../../base/error.ts";
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

const explanations: ReadonlyMap<number, Failure> = new Map<number, Failure>([
  [SqliteCode.busy, explain("DatabaseLocked", {})],
  [SqliteCode.locked, explain("DatabaseLocked", {})],
  [SqliteCode.readOnly, explain("DatabaseReadOnly", {})],
  [SqliteCode.ioError, explain("DatabaseUnavailable.disk", {})],
  [SqliteCode.corrupt, explain("DatabaseCorrupt", {})],
  [SqliteCode.full, explain("DatabaseFull", {})],
  [SqliteCode.cannotOpen, explain("DatabaseUnavailable.open", {})],
  [SqliteCode.primaryKey, explain("DatabaseCorrupt.row", {})],
  [SqliteCode.unique, explain("DatabaseCorrupt.row", {})],
  [SqliteCode.notADatabase, explain("DatabaseCorrupt.other", {})],
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
  if (explanation === undefined) return { ...explain("DatabaseFailed", { file, detail }), detail };
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
