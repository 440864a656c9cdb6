import { fileURLToPath } from "node:url";
import { resolve } from "node:path";

import { errorOf } from "../../base/error.ts";
import type { Backend } from "../../ports/backend.ts";
import { SqliteHandle } from "./handle.ts";
import type { SqliteSettings, SqliteSizes } from "./protocol.ts";

export type { SqliteSettings, SqliteSizes } from "./protocol.ts";

export interface SqliteOptions {
  /**
   * What a commit waits for. `full` (default): an acknowledged record survives a loss of power. `normal`: it survives a
   * crash of the process; a loss of power may take the last commits, whole ones. `off`: a loss of power may damage the
   * file. See https://www.sqlite.org/pragma.html#pragma_synchronous.
   */
  readonly synchronous?: "full" | "normal" | "off" | undefined;
  /** Milliseconds to keep trying while another process holds the write lock; then `DatabaseLocked`. Default 5,000. */
  readonly busyTimeout?: number | undefined;
  /** The file may grow to about this many bytes; beyond, `DatabaseFull` as on a full disk. Default: no limit. */
  readonly maxBytes?: number | undefined;
}

export interface SqliteBackend extends Backend {
  /** As SQLite itself reports them. */
  settings(): SqliteSettings;
  /**
   * Besides what this process does, whatever another one commits to the file is hinted at, within about a tenth of a
   * second.
   */
  onHint(listener: () => void): void;
  /**
   * What SQLite finds wrong with the file, and rows that belong to nothing, one line each; empty: nothing. Reads all of it,
   * and holds up whatever else is asked meanwhile.
   */
  integrity(): Promise<string[]>;
  /**
   * Writes the file anew without what was deleted. Needs as much free space again, and holds up whoever writes.
   *
   * @throws MillraceError `DatabaseLocked` when somebody writes all the time, `DatabaseFull`
   */
  vacuum(): Promise<SqliteSizes>;
  /** Ends the worker at once without releasing anything, as a crash would. For tests. */
  abandon(): Promise<void>;
}

/**
 * Runs in one SQLite file (WAL), which is created if it is missing, with mode 0600. Several processes and several
 * engines of one process may share it; each keeps a lock file in `<file>-owners/`, by which the others see at once
 * whether it lives. The file must be on a local disk. Commits happen in a worker thread; all appends that wait, of all
 * runs, share one commit.
 *
 * @throws MillraceError `DatabaseUnavailable` for `:memory:`: use `memory()` from `@millrace/core`.
 */
export function sqlite(path: string | URL, options: SqliteOptions = {}): SqliteBackend {
  const name = typeof path === "string" ? path : fileURLToPath(path);
  if (name === "" || name === ":memory:") {
    throw errorOf("DatabaseUnavailable.memory", { name });
  }
  return new SqliteHandle({
    file: resolve(name),
    synchronous: options.synchronous ?? "full",
    busyTimeout: options.busyTimeout ?? 5_000,
    maxBytes: options.maxBytes,
  });
}
