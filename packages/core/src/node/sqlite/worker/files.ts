import { accessSync, closeSync, constants, fchmodSync, openSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";

import { explain } from "../../../base/error.ts";
import type { Failure } from "../protocol.ts";
import { StoreFailure } from "./store-failure.ts";

/**
 * Creates the file if it is missing, so that only its owner may read it; SQLite gives `-wal` and `-shm` the same mode.
 * An existing database is never opened here: closing any descriptor of a file drops every lock this process holds on it
 * (https://www.sqlite.org/howtocorrupt.html, §2.2). Returns the real path, by which all processes find one another.
 */
export function prepareFile(file: string): string {
  const folder = dirname(file);
  if (!isFolder(folder)) throw unavailable(`${file}: the folder ${folder} does not exist`, "create the folder first");
  createPrivately(file);
  const real = realpathSync(file);
  if (!statSync(real).isFile()) throw unavailable(`${file} is not a file`, "give the path of a database file");
  requireWritable(real, "the file");
  requireWritable(dirname(real), "the folder of the file");
  return real;
}

/** Creates an empty file with mode 0600 whatever the umask is, unless something stands there already. */
export function createPrivately(file: string): void {
  let created: number;
  try {
    created = openSync(file, "wx", 0o600);
  } catch (error) {
    if (isFileError(error, "EEXIST")) return;
    throw error;
  }
  // Nobody has a lock on what did not exist a moment ago.
  fchmodSync(created, 0o600);
  closeSync(created);
}

export function isFileError(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function requireWritable(path: string, what: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw new StoreFailure({
      ...explain("DatabaseReadOnly.file", { path, what }),
      detail: error instanceof Error ? error.message : undefined,
    } satisfies Failure);
  }
}

function unavailable(message: string, hint: string): StoreFailure {
  return new StoreFailure({ code: "DatabaseUnavailable", message, hint });
}
