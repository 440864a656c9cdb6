import { MillraceError } from "@millrace/core";
import { errorOf, type Failures } from "@millrace/core/adapter";

/** https://mariadb.com/kb/en/mariadb-error-codes/, https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html */
const Errno = {
  tooManyConnections: 1040,
  shuttingDown: 1053,
  diskFull: 1021,
  tableFull: 1114,
  writeFailed: 1026,
  duplicateKey: 1062,
  lockTimeout: 1205,
  deadlock: 1213,
  interrupted: 1317,
  statementTimeout: 1969,
  executionTimeout: 3024,
  packetTooLarge: 1153,
  tooManyOfUser: 1203,
  connectionKilled: 1927,
  idleDisconnect: 4031,
} as const;

/** The answer did not come from the server, or it is about to go. What a statement that it cut off did is over, or undone. */
const lostNumbers: ReadonlySet<number> = new Set([
  Errno.tooManyConnections,
  Errno.tooManyOfUser,
  Errno.shuttingDown,
  Errno.interrupted,
  Errno.statementTimeout,
  Errno.executionTimeout,
  Errno.connectionKilled,
  Errno.idleDisconnect,
  // Net errors that the server tells, if it still can.
  1152,
  1158,
  1159,
  1160,
  1161,
  1184,
]);

/** Of Node, for a host that is not there, refuses, or goes away, and of the client. */
const lostCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
  "ERR_STREAM_DESTROYED",
  "PROTOCOL_CONNECTION_LOST",
  "PROTOCOL_SEQUENCE_TIMEOUT",
]);

/** What `mysql2` says without a code. */
const lostTexts = /in closed state|Connection lost|connection is closed|Pool is closed|connect ETIMEDOUT/i;

/** User or password, no such database, or no way to agree on how to log in. */
const refusedNumbers: ReadonlySet<number> = new Set([1044, 1045, 1049, 1129, 1130, 1251, 1698, 3118, 4151]);
/** Not granted, or a server that only reads. */
const readOnlyNumbers: ReadonlySet<number> = new Set([1142, 1143, 1227, 1290, 1370, 1792, 1836, 3020, 4110]);
const corruptNumbers: ReadonlySet<number> = new Set([126, 127, 1034, 1194, 1712, 1877]);

export function isLost(error: unknown): boolean {
  if (error instanceof MillraceError) return false;
  const number = numberOf(error);
  if (number !== undefined && number > 0 && number < 10_000) return lostNumbers.has(number);
  const code = codeOf(error);
  return (code !== undefined && lostCodes.has(code)) || lostTexts.test(messageOf(error));
}

export function isDuplicate(error: unknown): boolean {
  return numberOf(error) === Errno.duplicateKey;
}

function isTransient(error: unknown): boolean {
  return numberOf(error) === Errno.deadlock;
}

function isHeldUp(error: unknown): boolean {
  return numberOf(error) === Errno.lockTimeout;
}

function isFull(error: unknown): boolean {
  const number = numberOf(error);
  return number === Errno.diskFull || number === Errno.tableFull || number === Errno.writeFailed;
}

export function failuresOf(backend: string): Failures {
  return { isLost, isTransient, isHeldUp, isFull, toError: (error) => toError(error, backend) };
}

/** What to tell the caller. Messages of `mysql2` and of the server hold no passwords; their objects are not passed on. */
function toError(error: unknown, backend: string): MillraceError {
  if (error instanceof MillraceError) return error;
  const detail = messageOf(error);
  return errorOf(nameOf(error), { backend, file: backend, detail }, new Error(detail));
}

type Explained =
  | "DatabaseUnavailable.connection"
  | "DatabaseUnavailable.refused"
  | "DatabaseFull"
  | "DatabaseLocked.wait"
  | "DatabaseReadOnly.role"
  | "DatabaseCorrupt.row"
  | "DatabaseCorrupt.page"
  | "DatabaseFailed.packet"
  | "DatabaseFailed";

function nameOf(error: unknown): Explained {
  if (isLost(error)) return "DatabaseUnavailable.connection";
  if (isFull(error)) return "DatabaseFull";
  if (isTransient(error) || isHeldUp(error)) return "DatabaseLocked.wait";
  const number = numberOf(error) ?? 0;
  if (number === Errno.duplicateKey) return "DatabaseCorrupt.row";
  if (number === Errno.packetTooLarge) return "DatabaseFailed.packet";
  if (refusedNumbers.has(number)) return "DatabaseUnavailable.refused";
  if (readOnlyNumbers.has(number)) return "DatabaseReadOnly.role";
  return corruptNumbers.has(number) ? "DatabaseCorrupt.page" : "DatabaseFailed";
}

function numberOf(error: unknown): number | undefined {
  if (error instanceof AggregateError) return numberOf(error.errors[0]);
  return error instanceof Error && "errno" in error && typeof error.errno === "number" ? error.errno : undefined;
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
