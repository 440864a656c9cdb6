import { MillraceError } from "@millrace/core";
import { errorOf, readDriverError, type Failures } from "@millrace/core/adapter";

import { packetTooLarge } from "./client.ts";

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
  changedSinceRead: 1020,
  interrupted: 1317,
  statementTimeout: 1969,
  executionTimeout: 3024,
  packetTooLarge,
  noDatabaseRight: 1044,
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

/** Of the client. */
const lostCodes: ReadonlySet<string> = new Set([
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
  const { errno, code = "", message, isNetwork } = readDriverError(error);
  if (errno !== undefined && errno > 0) return lostNumbers.has(errno);
  return isNetwork || lostCodes.has(code) || lostTexts.test(message);
}

export function isDuplicate(error: unknown): boolean {
  return readDriverError(error).errno === Errno.duplicateKey;
}

function isTransient(error: unknown): boolean {
  const { errno } = readDriverError(error);
  return errno === Errno.deadlock || errno === Errno.changedSinceRead;
}

function isHeldUp(error: unknown): boolean {
  return readDriverError(error).errno === Errno.lockTimeout;
}

function isFull(error: unknown): boolean {
  const { errno } = readDriverError(error);
  return errno === Errno.diskFull || errno === Errno.tableFull || errno === Errno.writeFailed;
}

export function failuresOf(backend: string): Failures {
  return { isLost, isTransient, isHeldUp, isFull, toError: (error) => toError(error, backend) };
}

/** What to tell the caller. Messages of `mysql2` and of the server hold no passwords; their objects are not passed on. */
function toError(error: unknown, backend: string): MillraceError {
  if (error instanceof MillraceError) return error;
  const detail = readDriverError(error).message;
  return errorOf(nameOf(error), { backend, file: backend, detail }, new Error(detail));
}

/** `mysql2` tells which statement failed: the user was let in, and what is missing is a right, as `CREATE ROUTINE` is. */
function isMissingRight(error: unknown): boolean {
  const isOfStatement = error instanceof Error && "sql" in error && error.sql !== undefined;
  return isOfStatement && readDriverError(error).errno === Errno.noDatabaseRight;
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
  const number = readDriverError(error).errno ?? 0;
  if (number === Errno.duplicateKey) return "DatabaseCorrupt.row";
  if (number === Errno.packetTooLarge) return "DatabaseFailed.packet";
  if (readOnlyNumbers.has(number) || isMissingRight(error)) return "DatabaseReadOnly.role";
  if (refusedNumbers.has(number)) return "DatabaseUnavailable.refused";
  return corruptNumbers.has(number) ? "DatabaseCorrupt.page" : "DatabaseFailed";
}
