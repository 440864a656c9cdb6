import { MillraceError } from "@millrace/core";
import { errorOf, readDriverError, type Failures } from "@millrace/core/adapter";

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SqlState = {
  diskFull: "53100",
  tooManyConnections: "53300",
  idleInTransaction: "25P03",
  idleSession: "57P05",
  serializationFailure: "40001",
  deadlock: "40P01",
  lockTimeout: "55P03",
  canceled: "57014",
  readOnly: "25006",
  noPrivilege: "42501",
  uniqueViolation: "23505",
} as const;

/** What `pg` says without a code. */
const lostTexts =
  /Connection terminated|connection error and is not queryable|Client was closed|timeout expired|Query read timeout|timeout exceeded when trying to connect|Connection ended/;

export function isLost(error: unknown): boolean {
  if (error instanceof MillraceError) return false;
  const { code, message, isNetwork } = readDriverError(error);
  if (code === undefined) return lostTexts.test(message);
  const isTold = /^(08(?!P)|57P)/.test(code) || code === SqlState.tooManyConnections;
  return isNetwork || isTold || code === SqlState.idleInTransaction;
}

function isTransient(error: unknown): boolean {
  const { code } = readDriverError(error);
  return code === SqlState.serializationFailure || code === SqlState.deadlock;
}

function isHeldUp(error: unknown): boolean {
  return readDriverError(error).code === SqlState.lockTimeout;
}

function isFull(error: unknown): boolean {
  return readDriverError(error).code === SqlState.diskFull;
}

export function failuresOf(backend: string): Failures {
  return { isLost, isTransient, isHeldUp, isFull, toError: (error) => toError(error, backend) };
}

/** What to tell the caller. Messages of `pg` and of the server hold no passwords; their objects are not passed on. */
export function toError(error: unknown, backend: string): MillraceError {
  if (error instanceof MillraceError) return error;
  const detail = readDriverError(error).message;
  const cause = new Error(detail);
  return errorOf(nameOf(error), { backend, file: backend, detail }, cause);
}

type Explained =
  | "DatabaseUnavailable.connection"
  | "DatabaseUnavailable.refused"
  | "DatabaseFull"
  | "DatabaseLocked.wait"
  | "DatabaseReadOnly.role"
  | "DatabaseCorrupt.row"
  | "DatabaseCorrupt.page"
  | "DatabaseFailed";

const byCode: ReadonlyMap<string, Explained> = new Map<string, Explained>([
  [SqlState.diskFull, "DatabaseFull"],
  [SqlState.lockTimeout, "DatabaseLocked.wait"],
  [SqlState.canceled, "DatabaseLocked.wait"],
  [SqlState.serializationFailure, "DatabaseLocked.wait"],
  [SqlState.deadlock, "DatabaseLocked.wait"],
  [SqlState.readOnly, "DatabaseReadOnly.role"],
  [SqlState.noPrivilege, "DatabaseReadOnly.role"],
  [SqlState.uniqueViolation, "DatabaseCorrupt.row"],
]);

function nameOf(error: unknown): Explained {
  if (isLost(error)) return "DatabaseUnavailable.connection";
  const { code = "", message } = readDriverError(error);
  // 28: authorization; 3D: no such database.
  if (/^(28|3D)/.test(code) || /password|SASL|SSL/.test(message)) return "DatabaseUnavailable.refused";
  if (code.startsWith("XX0") && code !== "XX000") return "DatabaseCorrupt.page";
  return byCode.get(code) ?? "DatabaseFailed";
}
