import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { explain } from "../../../base/error.ts";
import { isBusy } from "./failure.ts";
import { createPrivately, isFileError } from "./files.ts";
import { StoreFailure } from "./store-failure.ts";

const ATTEMPTS = 50;
const PAUSE_MS = 10;

/**
 * One file per live engine instance, held in `BEGIN EXCLUSIVE` for as long as it lives. The operating system drops the
 * lock with the process, so a file that somebody else can lock, or that is missing, proves its owner dead; no clock is
 * asked. Whoever proves it removes the file; only the holder of the lock may remove it.
 */
export class OwnerLock {
  readonly #path: string;
  readonly #folder: string;
  readonly #handle: DatabaseSync;

  private constructor(folder: string, path: string, handle: DatabaseSync) {
    this.#folder = folder;
    this.#path = path;
    this.#handle = handle;
  }

  static acquire(folder: string, owner: string): OwnerLock {
    const path = lockPath(folder, owner);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const handle = createAndLock(path);
      if (handle !== undefined) return new OwnerLock(folder, path, handle);
      // Somebody proves this name's last bearer dead right now, or it is alive.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
    throw new StoreFailure(explain("OwnerInUse", { where: path, owner }));
  }

  release(): void {
    rmSync(this.#path, { force: true });
    this.#handle.close();
    try {
      rmdirSync(this.#folder);
    } catch {
      // Others still live in it.
    }
  }
}

/** Proves an owner dead, and removes its file; false means it lives. */
export function isDead(folder: string, owner: string): boolean {
  return isUnlocked(lockPath(folder, owner));
}

/** Removes the files of all dead owners. */
export function sweepDeadOwners(folder: string, self: string): void {
  const own = lockName(self);
  for (const name of readdirSync(folder)) {
    if (name !== own && name.endsWith(".lock")) isUnlocked(join(folder, name));
  }
}

/** How many owners live, `self` among them. */
export function countLiving(folder: string, self: string): number {
  const own = lockName(self);
  const others = readdirSync(folder).filter((name) => name !== own && name.endsWith(".lock"));
  return 1 + others.filter((name) => !isUnlocked(join(folder, name))).length;
}

function createAndLock(path: string): DatabaseSync | undefined {
  try {
    createPrivately(path);
  } catch (error) {
    // The folder went with its last owner just now.
    if (isFileError(error, "ENOENT")) return undefined;
    throw error;
  }
  const before = inode(path);
  const handle = lock(path);
  if (handle === undefined) return undefined;
  if (before !== undefined && inode(path) === before) return handle;
  // It was removed between being created and being locked: this is a lock on a file nobody can find.
  handle.close();
  return undefined;
}

function isUnlocked(path: string): boolean {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = inode(path);
    if (before === undefined) return true;
    const handle = lock(path);
    if (handle === undefined) return inode(path) === undefined;
    const same = inode(path) === before;
    if (same) rmSync(path, { force: true });
    handle.close();
    if (same) return true;
  }
  return false;
}

/** The exclusive lock on the file, or undefined when somebody holds it. */
function lock(path: string): DatabaseSync | undefined {
  let handle: DatabaseSync | undefined;
  try {
    handle = new DatabaseSync(path, { timeout: 0 });
    // No journal file beside it: nothing is ever written.
    handle.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return handle;
  } catch (error) {
    handle?.close();
    if (isBusy(error) || !existsSync(path)) return undefined;
    throw error;
  }
}

function inode(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

function lockPath(folder: string, owner: string): string {
  return join(folder, lockName(owner));
}

/** Owner names that could mean something to a file system go by their hash. */
function lockName(owner: string): string {
  const safe = /^[a-z0-9_-]{1,100}$/.test(owner);
  return `${safe ? owner : `sha256-${createHash("sha256").update(owner).digest("hex")}`}.lock`;
}
